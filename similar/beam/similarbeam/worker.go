package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"strings"

	"github.com/apache/beam/sdks/v2/go/container/tools"
	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	harness "github.com/apache/beam/sdks/v2/go/pkg/beam/core/runtime/harness/init"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/options/jobopts"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/util/grpcx"
)

// provision is given by a runner that starts workers as processes (-environment_type process).
var provision = flag.String("provision_endpoint", "", "for runners alone: the `address` from which a worker learns its job")

// setWorker makes this program the workers' program, where the flags name none. Beam would build one
// with the Go command otherwise.
func setWorker() error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	if *jobopts.WorkerBinary == "" {
		*jobopts.WorkerBinary = self
	}
	if strings.EqualFold(*jobopts.EnvironmentType, "process") && *jobopts.EnvironmentConfig == "" {
		b, err := json.Marshal(map[string]string{"command": self})
		if err != nil {
			return err
		}
		*jobopts.EnvironmentConfig = string(b)
	}
	return nil
}

// unquoted returns the arguments without the quotes that prism gives a worker's id: it starts
// a process with the argument --id='…', quotes and all, and knows no worker of that name.
func unquoted(args []string) []string {
	for i, a := range args {
		if id, ok := strings.CutPrefix(a, "--id='"); ok {
			args[i] = "--id=" + strings.TrimSuffix(id, "'")
		}
	}
	return args
}

// work is a worker that a runner started as a process: it does what the boot program of Beam's
// container does, except that this program is the workers' program, and need not be fetched. It
// returns when the runner has ended the connection.
func work(ctx context.Context) error {
	id := flag.Lookup("id").Value.String()
	if err := holdLifeline(id); err != nil {
		return err
	}
	info, err := tools.ProvisionInfo(grpcx.WriteWorkerID(ctx, id), *provision)
	if err != nil {
		return err
	}
	if info.GetControlEndpoint() == nil || info.GetLoggingEndpoint() == nil {
		return errors.New("the runner names no addresses for control and logging")
	}
	options, err := tools.ProtoToJSON(info.GetPipelineOptions())
	if err != nil {
		return err
	}
	for name, value := range map[string]string{
		"RUNNER_CAPABILITIES": strings.Join(info.GetRunnerCapabilities(), " "),
		"STATUS_ENDPOINT":     info.GetStatusEndpoint().GetUrl(),
	} {
		if err := os.Setenv(name, value); err != nil {
			return err
		}
	}
	for name, value := range map[string]string{
		"worker":           "true",
		"options":          options, // by a file, it would stay when a runner kills the worker
		"logging_endpoint": info.GetLoggingEndpoint().GetUrl(),
		"control_endpoint": info.GetControlEndpoint().GetUrl(),
	} {
		if err := flag.Set(name, value); err != nil {
			return fmt.Errorf("the flag %s: %w", name, err)
		}
	}
	harness.ShutdownMode = harness.Return // else it would wait for ever at the end
	beam.Init()
	return nil
}
