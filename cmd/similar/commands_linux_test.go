package main

func init() { commands["similar-remote"] = serveRemote }
