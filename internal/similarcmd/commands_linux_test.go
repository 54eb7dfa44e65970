package similarcmd

func init() { commands["similar-remote"] = serveRemote }
