//go:build linux

package similarcmd

import (
	"bytes"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestSlurm starts slurmctld and slurmd, and builds a version by the script of docs/scale: an array
// of jobs, a requeued task among them, the array once more, and a job that depends on them and
// seals.
func TestSlurm(t *testing.T) {
	t.Parallel()
	if os.Getuid() != 0 {
		t.Skip("Slurm's daemons run as root on Linux: the recipe for Slurm is NOT tested with them")
	}
	for _, name := range []string{"slurmctld", "slurmd", "sbatch"} {
		if _, err := exec.LookPath(name); err != nil {
			t.Skipf("%s is not installed: the recipe for Slurm is NOT tested with it", name)
		}
	}
	docs, want := sources(t)
	dir := t.TempDir()
	env := startSlurm(t, dir)
	v := filepath.Join(dir, "v")
	batch := func(args ...string) string {
		cmd := exec.Command("sbatch", append([]string{"--parsable", "--mem=0", "--chdir=" + dir}, args...)...)
		cmd.Env = env
		var failed bytes.Buffer
		cmd.Stderr = &failed
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("sbatch %q: %v\n%s", args, err, &failed)
		}
		return strings.TrimSpace(string(out))
	}
	array := func() string {
		return batch(fmt.Sprintf("--array=0-%d", shards-1), recipe(t, "slurm.sh"), docs, v)
	}
	first := array()
	requeue := exec.Command("scontrol", "requeue", first+"_1")
	requeue.Env = env
	_ = requeue.Run() // it may have ended
	again := array()
	batch("--dependency=afterok:"+first+":"+again, "--wait", "--wrap", "similar seal "+v)
	sameTree(t, v, want)
}

// startSlurm starts a cluster of this machine, and returns the environment of its clients.
func startSlurm(t *testing.T, dir string) []string {
	t.Helper()
	host, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	host, _, _ = strings.Cut(host, ".")
	conf := fmt.Sprintf(`ClusterName=test
SlurmctldHost=%[1]s(127.0.0.1)
NodeName=%[1]s NodeAddr=127.0.0.1 CPUs=2 RealMemory=1000 State=UNKNOWN
PartitionName=all Nodes=%[1]s Default=YES State=UP
AuthType=auth/none
CredType=cred/none
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
MpiDefault=none
SchedulerParameters=batch_sched_delay=0,sched_interval=1
ReturnToService=2
SlurmUser=root
SlurmctldPort=%[3]d
SlurmdPort=%[4]d
StateSaveLocation=%[2]s
SlurmdSpoolDir=%[2]s
SlurmctldPidFile=%[2]s/slurmctld.pid
SlurmdPidFile=%[2]s/slurmd.pid
`, host, dir, freePort(t), freePort(t))
	file := filepath.Join(dir, "slurm.conf")
	if err := os.WriteFile(file, []byte(conf), 0o600); err != nil {
		t.Fatal(err)
	}
	env := append(os.Environ(), "SLURM_CONF="+file)
	var logs [2]bytes.Buffer
	for i, name := range []string{"slurmctld", "slurmd"} {
		daemon := exec.Command(name, "-D")
		daemon.Env, daemon.Stdout, daemon.Stderr = env, &logs[i], &logs[i]
		if err := daemon.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			_ = daemon.Process.Signal(os.Interrupt)
			_ = daemon.Wait()
			if t.Failed() {
				t.Logf("%s says\n%s", name, &logs[i])
			}
		})
	}
	for range 120 {
		info := exec.Command("sinfo", "-h", "-o", "%t")
		info.Env = env
		if out, err := info.Output(); err == nil && strings.TrimSpace(string(out)) == "idle" {
			return env
		}
		time.Sleep(250 * time.Millisecond)
	}
	t.Fatal("the cluster does not come up")
	return nil
}

// freePort is a port of this machine that nothing listens at.
func freePort(t *testing.T) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}
