package page

import (
	"net/http"
	"reflect"
	"strings"
)

// object is a JSON object.
type object = map[string]any

// openAPI describes the API for programs: OpenAPI 3.1, made of the table of endpoints and the types
// of their answers.
func (h *Handler) openAPI() object {
	paths := object{}
	for _, e := range Endpoints {
		path, ok := paths[e.Path].(object)
		if !ok {
			path = object{}
			paths[e.Path] = path
		}
		path[strings.ToLower(e.method())] = e.operation()
	}
	server := h.base
	if server == "" {
		server = "/"
	}
	return object{
		"openapi": "3.1.0",
		"info":    object{"title": "similar: " + h.options.Name, "version": "1", "description": "Searches an index of documents."},
		"servers": []object{{"url": server}},
		"paths":   paths,
		"components": object{"securitySchemes": object{
			"token": object{"type": "http", "scheme": "bearer"},
		}},
	}
}

// operation describes one endpoint.
func (e Endpoint) operation() object {
	parameters := []object{}
	for _, p := range Parameters {
		for _, name := range e.Parameters {
			if name == p.Name {
				parameters = append(parameters, p.describe())
			}
		}
	}
	failure := object{"description": "what is wrong", "content": object{"application/json": object{"schema": schema(reflect.TypeFor[failure]())}}}
	o := object{
		"summary":    "gives " + e.What,
		"parameters": parameters,
		"responses": object{
			"200":     object{"description": "the answer", "content": object{"application/json": object{"schema": schema(reflect.TypeOf(e.result))}}},
			"default": failure,
		},
	}
	if e.write != nil {
		o["summary"] = e.What
		o["security"] = []object{{"token": []string{}}}
	}
	if e.Body != "" {
		document := object{"schema": schema(reflect.TypeOf(e.body))}
		content := object{"application/json": document, "application/x-ndjson": document}
		if e.paste != nil {
			content = object{"application/json": document, "text/plain": object{"schema": object{"type": "string"}}}
		}
		o["requestBody"] = object{"required": true, "description": e.Body, "content": content}
	}
	return o
}

// describe describes a parameter. All that is wrong with a value is said by the handler.
func (p Parameter) describe() object {
	value := object{"type": "string"}
	switch p.Name {
	case "syntax":
		value["enum"] = []string{syntaxWords}
	case "k", "from":
		value = object{"type": "integer", "minimum": 0}
	case "threshold":
		value = object{"type": "number", "minimum": 0}
	case "collapse":
		value = object{"type": "number", "minimum": 0, "maximum": 1}
	case "terms":
		value = object{"type": "string", "pattern": "^(all|[0-9]+)$"}
	case "like", "good", "where", "field":
		value = object{"type": "array", "items": value, "maxItems": maxIDs}
	case "sort":
		value = object{"type": "array", "items": value, "maxItems": maxSort}
	}
	return object{"name": p.Name, "in": "query", "description": p.What, "schema": value}
}

// failure is an answer that says what is wrong.
type failure struct {
	Error string `json:"error"`
}

// schema describes values of a type, as encoding/json writes them.
func schema(t reflect.Type) object {
	switch t.Kind() {
	case reflect.Pointer:
		return schema(t.Elem())
	case reflect.Struct:
		properties, required := object{}, []string{}
		for i := range t.NumField() {
			name, omit, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
			if name == "" || name == "-" {
				continue
			}
			properties[name] = schema(t.Field(i).Type)
			if omit != "omitempty" {
				required = append(required, name)
			}
		}
		return object{"type": "object", "properties": properties, "required": required, "additionalProperties": false}
	case reflect.Map:
		return object{"type": "object", "additionalProperties": schema(t.Elem())}
	case reflect.Slice:
		return object{"type": "array", "items": schema(t.Elem())}
	case reflect.String:
		return object{"type": "string"}
	case reflect.Bool:
		return object{"type": "boolean"}
	case reflect.Float64:
		return object{"type": "number"}
	}
	return object{"type": "integer"}
}

// serveOpenAPI answers with the description.
func (h *Handler) serveOpenAPI(w http.ResponseWriter, _ *http.Request) {
	h.sendJSON(w, h.openAPI(), nil)
}
