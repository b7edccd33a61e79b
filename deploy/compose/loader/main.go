// Prints a compose project as `docker compose config --format json` does, with the same library: the files of COMPOSE_FILE,
// which .env may set, with all variables replaced. The command in the library's own module ignores the environment.
package main

import (
	"context"
	"fmt"
	"os"

	"github.com/compose-spec/compose-go/v2/cli"
)

func main() {
	options, err := cli.NewProjectOptions(nil,
		cli.WithOsEnv,
		cli.WithEnvFiles(),
		cli.WithDotEnv,
		cli.WithConfigFileEnv,
		cli.WithDefaultConfigPath,
		// Services of every profile: who reads this decides which of them start.
		cli.WithProfiles([]string{"*"}),
	)
	exitOn(err)
	project, err := options.LoadProject(context.Background())
	exitOn(err)
	text, err := project.MarshalJSON()
	exitOn(err)
	fmt.Println(string(text))
}

func exitOn(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
