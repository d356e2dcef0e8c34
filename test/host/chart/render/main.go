// Renders the templates of a chart as Helm does: text/template with sprig, and the functions that Helm adds. Only tests use it.
//
// usage: render CHART < INPUT, where INPUT is a JSON array of {release, values}. Writes a JSON array of {files, error}.
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"text/template"

	"github.com/Masterminds/sprig"
	"gopkg.in/yaml.v3"
)

type input struct {
	Release string                 `json:"release"`
	Values  map[string]interface{} `json:"values"`
}

type output struct {
	Files map[string]string `json:"files"`
	Error string            `json:"error"`
}

func main() {
	var inputs []input
	check(json.NewDecoder(os.Stdin).Decode(&inputs))
	outputs := make([]output, 0, len(inputs))
	for _, one := range inputs {
		files, err := render(os.Args[1], one)
		message := ""
		if err != nil {
			message = err.Error()
		}
		outputs = append(outputs, output{files, message})
	}
	check(json.NewEncoder(os.Stdout).Encode(outputs))
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func render(chart string, one input) (map[string]string, error) {
	root := template.New("chart").Option("missingkey=zero")
	root.Funcs(sprig.TxtFuncMap()).Funcs(functions(root))
	names, err := filepath.Glob(filepath.Join(chart, "templates", "*"))
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		if _, err := root.New(filepath.Base(name)).Parse(string(text)); err != nil {
			return nil, err
		}
	}
	text, err := os.ReadFile(filepath.Join(chart, "Chart.yaml"))
	if err != nil {
		return nil, err
	}
	described := map[string]string{}
	if err := yaml.Unmarshal(text, &described); err != nil {
		return nil, err
	}
	data := map[string]interface{}{
		"Values":  one.Values,
		"Release": map[string]interface{}{"Name": one.Release, "Namespace": "docs", "Service": "Helm"},
		"Chart": map[string]interface{}{
			"Name": described["name"], "Version": described["version"], "AppVersion": described["appVersion"],
		},
	}
	files := map[string]string{}
	for _, name := range names {
		base := filepath.Base(name)
		if strings.HasPrefix(base, "_") {
			continue
		}
		var text bytes.Buffer
		if err := root.ExecuteTemplate(&text, base, data); err != nil {
			return nil, err
		}
		// Helm prints nothing for a missing value.
		files[base] = strings.ReplaceAll(text.String(), "<no value>", "")
	}
	return files, nil
}

func functions(root *template.Template) template.FuncMap {
	return template.FuncMap{
		"include": func(name string, data interface{}) (string, error) {
			var text bytes.Buffer
			err := root.ExecuteTemplate(&text, name, data)
			return text.String(), err
		},
		"toYaml": func(value interface{}) (string, error) {
			text, err := yaml.Marshal(value)
			return strings.TrimSuffix(string(text), "\n"), err
		},
		"required": func(message string, value interface{}) (interface{}, error) {
			if value == nil || value == "" {
				return nil, fmt.Errorf("%s", message)
			}
			return value, nil
		},
	}
}
