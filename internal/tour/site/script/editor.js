// The editor: CodeMirror with Go's language, errors under their lines, and the line that runs now.
import { closeBrackets, closeBracketsKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { go } from "@codemirror/lang-go";
import { bracketMatching, HighlightStyle, indentOnInput, indentUnit, syntaxHighlighting } from "@codemirror/language";
import { EditorState, StateEffect, StateField } from "@codemirror/state";
import { Decoration, drawSelection, EditorView, keymap, lineNumbers, WidgetType } from "@codemirror/view";
import { tags } from "@lezer/highlight";

const style = HighlightStyle.define([
  { tag: tags.keyword, class: "tok-keyword" },
  { tag: [tags.string, tags.number, tags.bool], class: "tok-literal" },
  { tag: tags.comment, class: "tok-comment" },
  { tag: tags.typeName, class: "tok-type" },
  { tag: tags.definition(tags.variableName), class: "tok-def" },
]);

class Note extends WidgetType {
  constructor(text, kind) { super(); this.text = text; this.kind = kind; }
  eq(o) { return o.text === this.text && o.kind === this.kind; }
  toDOM() {
    const e = document.createElement("div");
    e.className = `note ${this.kind}`;
    e.textContent = this.text;
    return e;
  }
}

const setNotes = StateEffect.define();
const setNow = StateEffect.define();

// decorated is a field of decorations that an effect replaces.
const decorated = (effect) => StateField.define({
  create: () => Decoration.none,
  update(value, tr) {
    value = value.map(tr.changes);
    for (const e of tr.effects) if (e.is(effect)) value = e.value;
    return value;
  },
  provide: (f) => EditorView.decorations.from(f),
});
const notes = decorated(setNotes);
const now = decorated(setNow);

export class Editor {
  constructor({ text, label, changed, run, line = 1 }) {
    this.view = new EditorView({
      state: EditorState.create({
        doc: text,
        extensions: [
          lineNumbers(), history(), drawSelection(), indentOnInput(), bracketMatching(), closeBrackets(), go(),
          indentUnit.of("\t"), EditorState.tabSize.of(4), syntaxHighlighting(style), notes, now,
          keymap.of([{ key: "Mod-Enter", run: () => { run(); return true; }, preventDefault: true },
            ...closeBracketsKeymap, ...defaultKeymap, ...historyKeymap]),
          EditorView.contentAttributes.of({ "aria-label": label, tabindex: "0" }),
          EditorView.updateListener.of((u) => { if (u.docChanged) changed(); }),
        ],
      }),
    });
    // The editor is as high as a screen at most, and begins with the part that the chapter speaks of.
    if (line > 1) {
      const { doc } = this.view.state;
      this.view.dispatch({ effects: EditorView.scrollIntoView(doc.line(Math.min(line, doc.lines)).from, { y: "start", yMargin: 8 }) });
    }
  }

  get element() { return this.view.dom; }
  get text() { return this.view.state.doc.toString(); }
  set text(text) { this.view.dispatch({ changes: { from: 0, to: this.view.state.doc.length, insert: text } }); }

  // note puts notes {line, message, kind} under lines. A note without a line is under the first.
  note(list) {
    const doc = this.view.state.doc;
    const ranges = [];
    for (const n of list) {
      const line = doc.line(Math.min(Math.max(n.line, 1), doc.lines));
      ranges.push(Decoration.line({ class: `line-${n.kind}` }).range(line.from));
      ranges.push(Decoration.widget({ widget: new Note(n.message, n.kind), block: true, side: 1 }).range(line.to));
    }
    this.view.dispatch({ effects: setNotes.of(Decoration.set(ranges, true)) });
  }

  // mark marks lines as those that run now.
  mark(lines) {
    const doc = this.view.state.doc;
    const ranges = [...new Set(lines)].filter((n) => n >= 1 && n <= doc.lines).sort((a, b) => a - b)
      .map((n) => Decoration.line({ class: "line-now" }).range(doc.line(n).from));
    this.view.dispatch({ effects: setNow.of(Decoration.set(ranges)) });
  }
}
