package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/core"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism"
)

// asPrism in the environment makes the test program a job server on the port that is its value.
const asPrism = "SIMILARBEAM_TEST_AS_PRISM"

// servePrism serves jobs until it is killed.
func servePrism(port string) {
	n, err := strconv.Atoi(port)
	// Workers are processes of this program, too.
	if err = errors.Join(err, os.Unsetenv(asPrism), os.Setenv(asCommand, "1")); err == nil {
		_, err = prism.CreateJobServer(context.Background(), prism.Options{Port: n})
	}
	if err != nil {
		panic(err)
	}
	select {}
}

// TestJobServer gives jobs to prism in another process, whose workers are the command itself, and
// processes that prism starts.
func TestJobServer(t *testing.T) {
	l, err := net.Listen("tcp", "localhost:0")
	if err != nil {
		t.Fatal(err)
	}
	port := l.Addr().(*net.TCPAddr).Port
	l.Close()
	server, _, said := command(t.Context())
	server.Env = append(os.Environ(), fmt.Sprint(asPrism, "=", port))
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = server.Process.Kill()
		_ = server.Wait()
		if t.Failed() {
			t.Log(said)
		}
	}()
	onJobServer(t, "universal", fmt.Sprint("localhost:", port))
}

// onJobServer runs jobs on a job server, with workers of both kinds.
func onJobServer(t *testing.T, runner, endpoint string) {
	dir := papers(t, 400)
	want := similar(t, dir, 3)
	for _, workers := range []string{"loopback", "process"} {
		out := filepath.Join(t.TempDir(), "v")
		code, stdout, stderr := status(t, "-o", out, "-shards", "3", "-duplicates", out+groupsEnd, "-runner", runner, "-endpoint", endpoint, "-environment_type", workers, dir+"/*")
		if code != 0 {
			t.Fatalf("%s: %d, %s%s", workers, code, stdout, stderr)
		}
		same(t, out, want)
		sameGroups(t, out, want)
	}
}

// flink is the job server of Beam with Flink in it.
const flink = "org.apache.beam:beam-runners-flink-1.20-job-server:" + core.SdkVersion

// TestFlink gives jobs to Flink's local cluster, by Beam's job server, which Maven fetches.
// SIMILARBEAM_FLINK_JAR names its file where Maven has none.
func TestFlink(t *testing.T) {
	java, err := exec.LookPath("java")
	if err != nil {
		t.Skip("FLINK WAS NOT TESTED: there is no java")
	}
	jar := os.Getenv("SIMILARBEAM_FLINK_JAR")
	if jar == "" {
		jar = fetched(t)
	}
	ctx, stop := context.WithTimeout(t.Context(), 10*time.Minute)
	defer stop()
	server := exec.CommandContext(ctx, java, "-jar", jar, "--flink-master=[local]", "--job-host=localhost", "--job-port=0",
		"--artifact-port=0", "--expansion-port=0", "--artifacts-dir="+t.TempDir())
	server.WaitDelay = time.Second
	log, err := server.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = server.Process.Kill()
		_ = server.Wait()
	}()
	started := regexp.MustCompile(`JobService started on (\S+:[0-9]+)`)
	lines := bufio.NewScanner(log)
	for lines.Scan() {
		if m := started.FindStringSubmatch(lines.Text()); m != nil {
			go func() { // so that the pipe never fills
				for lines.Scan() {
				}
			}()
			onJobServer(t, "flink", m[1])
			return
		}
	}
	t.Fatalf("the job server does not start: %v", lines.Err())
}

// fetched is the job server's file, by Maven.
func fetched(t *testing.T) string {
	mvn, err := exec.LookPath("mvn")
	if err != nil {
		t.Skip("FLINK WAS NOT TESTED: there is no mvn; SIMILARBEAM_FLINK_JAR may name the job server's file")
	}
	dir := t.TempDir()
	ctx, stop := context.WithTimeout(t.Context(), 5*time.Minute)
	defer stop()
	for _, goal := range [][]string{{"dependency:get", "-Dtransitive=false"}, {"dependency:copy", "-DoutputDirectory=" + dir}} {
		cmd := exec.CommandContext(ctx, mvn, append([]string{"-q", "-B", "-Dartifact=" + flink}, goal...)...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Skipf("FLINK WAS NOT TESTED: Maven does not get %s: %.300s", flink, out)
		}
	}
	jars, err := filepath.Glob(filepath.Join(dir, "*.jar"))
	if err != nil || len(jars) != 1 {
		t.Fatalf("%q, %v", jars, err)
	}
	return jars[0]
}
