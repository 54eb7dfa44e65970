package storetest

import (
	"bufio"
	"context"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob"
)

const (
	azurite = "azurite@3.37.0"
	// The account that Azurite has, which is no secret.
	account = "devstoreaccount1"
	key     = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="
)

// Azure starts Azurite, which npm fetches once, with a proxy in front that fails one request of sixty. The test is
// skipped without node or npm, and if npm does not get Azurite.
func Azure(t *testing.T) Store {
	t.Helper()
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("AZURE WAS NOT TESTED: there is no node")
	}
	cmd := exec.CommandContext(t.Context(), node, fetched(t), "--inMemoryPersistence", "--blobPort", "0", "--disableTelemetry", "--skipApiVersionCheck", "--silent")
	cmd.Dir = t.TempDir()
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	at := address(t, bufio.NewScanner(out))
	server := httptest.NewServer(faulty(t, httputil.NewSingleHostReverseProxy(at), 60))
	t.Cleanup(server.Close)
	host := strings.TrimPrefix(server.URL, "http://")
	for name, value := range map[string]string{"ACCOUNT": account, "KEY": key, "DOMAIN": host, "PROTOCOL": "http", "IS_LOCAL_EMULATOR": "true"} {
		t.Setenv("AZURE_STORAGE_"+name, value)
	}
	credential, err := azblob.NewSharedKeyCredential(account, key)
	if err != nil {
		t.Fatal(err)
	}
	client, err := azblob.NewClientWithSharedKeyCredential(server.URL+"/"+account, credential, nil)
	if err == nil {
		_, err = client.CreateContainer(t.Context(), "papers", nil)
	}
	if err != nil {
		t.Fatal(err)
	}
	return func(name string) string { return "azblob://papers/" + name }
}

// address reads where Azurite listens from what it says.
func address(t *testing.T, lines *bufio.Scanner) *url.URL {
	t.Helper()
	listens := regexp.MustCompile(`listens on (http://\S+)`)
	for lines.Scan() {
		if m := listens.FindStringSubmatch(lines.Text()); m != nil {
			go func() { // so that the pipe never fills
				for lines.Scan() {
				}
			}()
			at, err := url.Parse(m[1])
			if err != nil {
				t.Fatal(err)
			}
			return at
		}
	}
	t.Fatalf("Azurite does not start: %v", lines.Err())
	return nil
}

// fetched is the program of Azurite's server of blobs, in the user's folder of caches.
func fetched(t *testing.T) string {
	t.Helper()
	npm, err := exec.LookPath("npm")
	if err != nil {
		t.Skip("AZURE WAS NOT TESTED: there is no npm")
	}
	all, err := os.UserCacheDir()
	if err != nil {
		t.Skipf("AZURE WAS NOT TESTED: %v", err)
	}
	dir := filepath.Join(all, "similar-test", azurite)
	program := filepath.Join(dir, "node_modules", "azurite", "dist", "src", "blob", "main.js")
	whole := filepath.Join(dir, "whole")
	if _, err := os.Stat(whole); err == nil {
		return program
	}
	ctx, stop := context.WithTimeout(t.Context(), 3*time.Minute)
	defer stop()
	cmd := exec.CommandContext(ctx, npm, "install", "--prefix", dir, "--no-audit", "--no-fund", "--ignore-scripts", azurite)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Skipf("AZURE WAS NOT TESTED: npm does not get %s: %v: %.300s", azurite, err, out)
	}
	if err := os.WriteFile(whole, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	return program
}
