package source

import (
	"context"
	"fmt"
	"io"
	"strings"

	"golang.org/x/text/unicode/norm"
)

// manPage reads a page of a manual, with the macros of man or mdoc (groff_man(7), mdoc(7)).
// The line of the first section, NAME in English, is the title, or else the page's name.
func manPage(ctx context.Context, data []byte, limit int64) (title, s string, err error) {
	_, s, err = plainText(ctx, data, limit)
	if err != nil {
		return "", "", err
	}
	m := manual{strings: map[string]string{"R": "®", "Tm": "™", "lq": "“", "rq": "”"}}
	for line := range strings.Lines(s) {
		if err := ctx.Err(); err != nil {
			return "", "", err
		}
		m.line(strings.TrimRight(line, "\r\n"))
	}
	title = squeeze(m.summary.String())
	if !strings.Contains(title, " - ") && !strings.Contains(title, "– ") || len(title) > maxSummary {
		title = m.name
	}
	title, s = norm.NFC.String(strings.ToValidUTF8(title, "")), lines(norm.NFC.String(strings.ToValidUTF8(m.text.String(), "")))
	return title, s, checkText(title + s)
}

// maxSummary is how many bytes the line of NAME has, at most.
const maxSummary = 1000

// manualFile makes the form of a page of a manual. It reads only the beginning of a file that is none.
func manualFile(section string) form {
	read := whole(section)
	return func(r *reader, name string, in io.Reader) {
		b, head := beginning(in)
		if isManual(head) {
			read(r, name, b)
		} else {
			r.unread(name)
		}
	}
}

// isManual reports whether a line names a page of a manual.
func isManual(data []byte) bool {
	for line := range strings.Lines(string(data)) {
		for _, macro := range []string{".TH", ".Dt"} {
			if rest, ok := strings.CutPrefix(line, macro); ok && (strings.HasPrefix(rest, " ") || strings.HasPrefix(rest, "\t")) {
				return true
			}
		}
	}
	return false
}

// A manual is a page that was read up to a line.
type manual struct {
	text, summary strings.Builder
	name          string // of the page, as in "LS(1)"
	subject       string // of mdoc's .Nm
	sections      int
	inName        bool // in the first section
	strings       map[string]string
	until         string // the line that ends a macro's definition, or ""
	skip          int    // open braces of a condition that does not hold
	held          bool   // whether the last .ie held
	table         bool   // in the format of a table
	nested        int    // conditions on one line
}

// line reads a line: text, or a request or macro with its arguments.
func (m *manual) line(s string) {
	switch {
	case m.until != "":
		if strings.TrimRight(s, " \t") == m.until {
			m.until = ""
		}
		return
	case m.skip > 0:
		m.skip = max(0, m.skip+strings.Count(s, `\{`)-strings.Count(s, `\}`))
		return
	case m.table:
		m.table = !strings.HasSuffix(strings.TrimRight(s, " \t"), ".")
		return
	case s == "" || s[0] != '.' && s[0] != '\'':
		m.put(m.plain(s) + "\n")
		return
	}
	s = strings.TrimLeft(s[1:], " \t")
	n := strings.IndexAny(s, " \t\\")
	if n < 0 {
		n = len(s)
	}
	if n > 0 { // or it is a comment, or the end of a condition
		m.request(s[:n], strings.TrimLeft(s[n:], " \t"))
	}
}

// put writes text. In the first section the title gets it, too.
func (m *manual) put(s string) {
	m.text.WriteString(s)
	if m.inName {
		m.summary.WriteString(s)
	}
}

// maxStrings is how many strings a page may define, and each has maxColumn bytes at most.
const maxStrings = 1000

// request reads a request of roff, or a macro.
func (m *manual) request(name, rest string) {
	switch name {
	case "de", "de1", "am", "ig":
		m.until = ".."
		if args := m.args(rest); name == "ig" && len(args) > 0 {
			m.until = "." + args[0]
		} else if name != "ig" && len(args) > 1 {
			m.until = "." + args[1]
		}
	case "ds", "as":
		key, value, _ := strings.Cut(rest, " ")
		value = m.plain(strings.TrimPrefix(strings.TrimLeft(value, " "), `"`))
		if len(value) <= maxColumn && len(key) <= maxColumn && len(m.strings) < maxStrings {
			m.strings[key] = value
		}
	case "if", "ie", "while":
		test, body, _ := strings.Cut(rest, " ")
		holds := test == "n" || test == "!t"
		if name == "ie" {
			m.held = holds
		}
		m.when(holds, body)
	case "el":
		m.when(!m.held, rest)
	case "TS":
		m.table = true
	case "TH", "Dt":
		if args := m.args(rest); len(args) > 1 {
			m.name = fmt.Sprintf("%s(%s)", args[0], args[1])
		} else if len(args) > 0 {
			m.name = args[0]
		}
	case "SH", "Sh":
		heading := strings.Join(m.args(rest), " ")
		m.inName = false
		m.put("\n" + heading + "\n")
		m.inName = m.sections == 0
		m.sections++
	default:
		m.macro(name, rest)
	}
}

// when reads what a condition decides.
func (m *manual) when(holds bool, body string) {
	body = strings.TrimLeft(body, " \t")
	block, isBlock := strings.CutPrefix(body, `\{`)
	switch {
	case !holds && isBlock:
		m.skip = max(0, 1+strings.Count(block, `\{`)-strings.Count(block, `\}`))
	case !holds:
	case m.nested < maxConditions && strings.Trim(block, ` \}`) != "":
		m.nested++
		m.line(strings.TrimLeft(block, " \t"))
		m.nested--
	}
}

// maxConditions is how many conditions of conditions a line has.
const maxConditions = 8

// silent are requests and macros whose arguments are no text.
var silent = func() map[string]bool {
	m := map[string]bool{}
	for _, name := range strings.Fields(`ad na hy nh ft fam ps vs in ti ta ll ne nr rr rm rn so sp tr bp ev ce cs ss
		fi nf RS RE PD DT UC AT lf mso do als cflags char warn Dd Os Bl El Bd Ed Bk Ek Rs Re TE T& EQ EN Sm Db PU IX hw
		rs ns ie bd it wh ch shc`) {
		m[name] = true
	}
	return m
}()

// breaks are macros that begin a line, before their text.
var breaks = map[string]bool{
	"SS": true, "Ss": true, "TP": true, "TQ": true, "IP": true, "HP": true, "PP": true, "P": true, "LP": true, "Pp": true,
	"br": true, "sp": true, "It": true, "RS": true, "RE": true, "Bl": true, "El": true, "SY": true, "nf": true, "fi": true,
}

// macro writes the text of a macro of man or mdoc.
func (m *manual) macro(name, rest string) {
	if breaks[name] {
		m.put("\n")
	}
	if silent[name] {
		return
	}
	args := m.args(rest)
	switch name {
	case "BR", "RB", "BI", "IB", "IR", "RI": // fonts in turn, without space between them
		m.put(strings.Join(args, "") + "\n")
	case "TP", "TQ", "HP", "PP", "P", "LP", "Pp", "br", "UE", "ME", "YS":
		m.put("\n")
	case "IP":
		m.put(strings.Join(args[:min(1, len(args))], "") + "\n")
	case "B", "I", "SM", "SB", "SS", "SY", "OP", "UR", "MT", "EX", "EE":
		m.put(strings.Join(args, " ") + "\n")
	default:
		m.mdoc(append([]string{name}, args...))
	}
}

// mdocMacros are mdoc's macros that others may call.
var mdocMacros = func() map[string]bool {
	m := map[string]bool{}
	for _, name := range strings.Fields(`Ac Ad An Ao Ap Aq Ar Bc Bo Bq Brc Bro Brq Bx Cd Cm Dc Dl Do Dq Dv Dx Ec Em En Eo
		Er Ev Fa Fc Fl Fn Fo Fr Ft Fx Ic In It Lb Li Lk Ms Mt Nd Nm No Ns Nx Oc Oo Op Ot Ox Pa Pc Pf Po Pq Qc Ql Qo Qq Sc
		So Sq St Sx Sy Ta Tn Ux Va Vt Xc Xo Xr Ss Bf Ef At Fd Bsx`) {
		m[name] = true
	}
	return m
}()

// mdoc writes a line of mdoc's macros and their arguments. It ignores a line of an unknown macro.
func (m *manual) mdoc(words []string) {
	if !mdocMacros[words[0]] {
		return
	}
	if words[0] == "Nm" && m.subject == "" && len(words) > 1 {
		m.subject = words[1]
	}
	glue := true // the next word follows without a space
	for i, word := range words {
		switch {
		case mdocMacros[word] && word == "Nm" && (i+1 == len(words) || mdocMacros[words[i+1]]):
			word = m.subject
		case word == "Nd":
			word = "–"
		case word == "Fl":
			m.put(" -")
			glue = true
			continue
		case word == "Ns" || word == "Pf" || word == "Ap":
			glue = true
			continue
		case mdocMacros[word]:
			continue
		case i > 1 && words[i-2] == "Xr" && len(word) < 4:
			word, glue = "("+word+")", true
		case len(word) == 1 && strings.Contains(".,:;)]?!", word):
			glue = true
		}
		if !glue {
			m.put(" ")
		}
		m.put(word)
		glue = word == "(" || word == "["
	}
	m.put("\n")
}

// args parts the arguments of a macro, which quotes may surround, and undoes their escapes.
func (m *manual) args(s string) (list []string) {
	for {
		if s = strings.TrimLeft(s, " \t"); s == "" || strings.HasPrefix(s, `\"`) {
			return list
		}
		var arg strings.Builder
		quoted := s[0] == '"'
		i := 0
		if quoted {
			i++
		}
	word:
		for i < len(s) && (quoted || s[i] != ' ' && s[i] != '\t') {
			switch {
			case quoted && strings.HasPrefix(s[i:], `""`):
				i++
			case quoted && s[i] == '"':
				i++
				break word
			case s[i] == '\\' && i+1 < len(s):
				arg.WriteByte(s[i])
				i++
			}
			arg.WriteByte(s[i])
			i++
		}
		list = append(list, m.plain(arg.String()))
		s = s[i:]
	}
}
