// The scene's text: highlighted, checked as one types, completed from the schema.
import { autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap } from '@codemirror/autocomplete'
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands'
import { yaml } from '@codemirror/lang-yaml'
import { bracketMatching, HighlightStyle, indentOnInput, indentUnit, syntaxHighlighting } from '@codemirror/language'
import { lintGutter, lintKeymap, setDiagnostics } from '@codemirror/lint'
import type { Diagnostic } from '@codemirror/lint'
import { highlightSelectionMatches, searchKeymap } from '@codemirror/search'
import { EditorState, StateEffect, StateField } from '@codemirror/state'
import type { Text } from '@codemirror/state'
import { crosshairCursor, Decoration, drawSelection, EditorView, highlightActiveLine, highlightActiveLineGutter, hoverTooltip, keymap, lineNumbers } from '@codemirror/view'
import type { DecorationSet } from '@codemirror/view'
import { tags } from '@lezer/highlight'
import { effect } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { complete } from './complete'
import type { Problem } from './protocol'
import { mark, opened, path, problems, text, wanted } from './scene'
import { keyText, placeOf, textPlace } from './scene_places'
import { hello } from './state'

// ---- looks --------------------------------------------------------------------------------------

const colours = HighlightStyle.define([
  { tag: tags.comment, color: 'var(--code-comment)', fontStyle: 'italic' },
  { tag: [tags.definition(tags.propertyName), tags.propertyName], color: 'var(--code-key)' },
  { tag: [tags.string, tags.special(tags.string)], color: 'var(--code-string)' },
  { tag: [tags.punctuation, tags.separator, tags.squareBracket, tags.brace], color: 'var(--mute)' },
])

const look = EditorView.theme({
  '&': { height: '100%', color: 'var(--ink)', backgroundColor: 'var(--panel)', fontSize: '13px' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.55' },
  '.cm-content': { caretColor: 'var(--accent)', padding: '8px 0' },
  '.cm-cursor': { borderLeftColor: 'var(--accent)', borderLeftWidth: '2px' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': { backgroundColor: 'var(--select)' },
  '.cm-activeLine': { backgroundColor: 'var(--row)' },
  '.cm-gutters': { backgroundColor: 'var(--panel)', color: 'var(--faint)', border: 'none' },
  '.cm-activeLineGutter': { backgroundColor: 'var(--row)', color: 'var(--mute)' },
  '.cm-lineNumbers .cm-gutterElement': { padding: '0 10px 0 6px' },
  '.cm-tooltip': { backgroundColor: 'var(--panel)', border: '1px solid var(--line)', borderRadius: '6px', boxShadow: 'var(--shadow)', color: 'var(--ink)' },
  '.cm-tooltip-autocomplete > ul': { fontFamily: 'var(--mono)', maxHeight: '16em' },
  '.cm-tooltip-autocomplete > ul > li': { padding: '3px 8px', lineHeight: '1.5' },
  '.cm-tooltip-autocomplete > ul > li[aria-selected]': { backgroundColor: 'var(--accent-soft)', color: 'var(--ink)' },
  '.cm-completionDetail': { color: 'var(--mute)', fontStyle: 'normal', fontFamily: 'var(--sans)', marginLeft: '1em', fontSize: '12px' },
  '.cm-completionMatchedText': { textDecoration: 'none', fontWeight: '600' },
  '.cm-completionInfo': { fontFamily: 'var(--sans)', padding: '8px 10px', maxWidth: '26em' },
  '.cm-lintRange-error': { backgroundImage: 'none', textDecoration: 'underline wavy var(--alarm)', textUnderlineOffset: '3px' },
  '.cm-lintRange-warning': { backgroundImage: 'none', textDecoration: 'underline wavy var(--warn-line)', textUnderlineOffset: '3px' },
  '.cm-lint-marker': { content: '""', width: '8px', height: '8px', borderRadius: '50%', marginTop: '6px' },
  '.cm-lint-marker-error': { content: '""', backgroundColor: 'var(--alarm)' },
  '.cm-lint-marker-warning': { content: '""', backgroundColor: 'var(--warn-line)', borderRadius: '1px', transform: 'rotate(45deg)' },
  '.cm-lint-marker-info': { content: '""', backgroundColor: 'var(--accent)' },
  '.cm-diagnostic': { padding: '6px 10px', borderLeftWidth: '3px', fontFamily: 'var(--sans)', maxWidth: '36em', whiteSpace: 'pre-wrap' },
  '.cm-diagnostic-error': { borderLeftColor: 'var(--alarm)' },
  '.cm-diagnostic-warning': { borderLeftColor: 'var(--warn-line)' },
  '.cm-marked': { backgroundColor: 'var(--marked)', borderRadius: '3px' },
  '.cm-searchMatch': { backgroundColor: 'var(--marked)' },
  '.cm-searchMatch-selected': { backgroundColor: 'var(--accent-soft)', outline: '1px solid var(--accent)' },
  '.cm-selectionMatch': { backgroundColor: 'var(--row)' },
  '.cm-matchingBracket': { backgroundColor: 'var(--accent-soft)', outline: 'none' },
  '.cm-panels': { backgroundColor: 'var(--soft)', color: 'var(--ink)', borderColor: 'var(--line)' },
  '.cm-textfield': { backgroundColor: 'var(--panel)', border: '1px solid var(--edge)', borderRadius: '4px', color: 'var(--ink)' },
  '.cm-button': { backgroundImage: 'none', backgroundColor: 'var(--panel)', border: '1px solid var(--edge)', borderRadius: '4px', color: 'var(--ink)' },
})

// ---- what is marked -----------------------------------------------------------------------------

const setMark = StateEffect.define<{ from: number; to: number } | null>()
const marked = Decoration.mark({ class: 'cm-marked' })
const markField = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(now, tr) {
    let out = now.map(tr.changes)
    for (const e of tr.effects) if (e.is(setMark)) out = e.value && e.value.to > e.value.from ? Decoration.set([marked.range(e.value.from, e.value.to)]) : Decoration.none
    return out
  },
  provide: (f) => EditorView.decorations.from(f),
})

// ---- problems -----------------------------------------------------------------------------------

function diagnostic(doc: Text, p: Problem): Diagnostic | null {
  if (p.line < 1 || p.line > doc.lines) return null
  const line = doc.line(p.line)
  const { from, to } = placeOf(line.text, p.col)
  return {
    from: line.from + from,
    to: line.from + to,
    severity: p.level === 'note' ? 'info' : p.level,
    message: p.hint ? `${p.text}\n${p.hint}` : p.text,
  }
}

const ofScene = (p: Problem): boolean => p.file === '' || p.file.split('/').pop() === path.peek().split('/').pop()

function showProblems(view: EditorView, list: readonly Problem[]): void {
  const found = list.filter(ofScene).map((p) => diagnostic(view.state.doc, p))
  view.dispatch(setDiagnostics(view.state, found.filter((d) => d !== null)))
}

const keyHover = hoverTooltip((view, pos) => {
  const found = keyText(view.state.doc.toString(), pos)
  if (!found) return null
  return {
    pos: found.from,
    end: found.to,
    above: true,
    create() {
      const dom = document.createElement('div')
      dom.className = 'key-text'
      const name = dom.appendChild(document.createElement('code'))
      name.textContent = found.path
      dom.append(document.createElement('br'), found.text)
      return { dom }
    },
  }
})

// ---- the editor ---------------------------------------------------------------------------------

function makeState(doc: string): EditorState {
  return EditorState.create({
    doc,
    extensions: [
      EditorView.cspNonce.of(hello.peek()?.nonce ?? ''),
      lineNumbers(),
      lintGutter(),
      highlightActiveLineGutter(),
      highlightActiveLine(),
      history(),
      drawSelection(),
      crosshairCursor(),
      indentOnInput(),
      indentUnit.of('  '),
      EditorState.tabSize.of(2),
      bracketMatching(),
      closeBrackets(),
      highlightSelectionMatches(),
      yaml(),
      syntaxHighlighting(colours),
      autocompletion({ override: [complete], icons: false }),
      keyHover,
      markField,
      look,
      EditorView.contentAttributes.of({ 'aria-label': 'scene text', spellcheck: 'false', tabindex: '0' }),
      EditorView.updateListener.of((u) => {
        if (u.docChanged) text.value = u.state.doc.toString()
      }),
      keymap.of([...closeBracketsKeymap, ...lintKeymap, ...completionKeymap, ...searchKeymap, ...historyKeymap, ...defaultKeymap.filter((k) => k.key !== 'Mod-Enter'), indentWithTab]),
    ],
  })
}

/** Shows what belongs to a mark or a problem, without taking the focus. */
function follow(view: EditorView): void {
  const place = mark.value ? textPlace(view.state.doc.toString(), mark.value, problems.peek()) : null
  view.dispatch({
    effects: place ? [setMark.of(place), EditorView.scrollIntoView(place.from, { y: 'center' })] : [setMark.of(null)],
    ...(place && mark.value?.kind === 'problem' ? { selection: { anchor: place.from } } : {}),
  })
}

export function Editor() {
  const host = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const view = new EditorView({ state: makeState(text.peek()), parent: host.current! })
    let first = true
    const stops = [
      effect(() => {
        void opened.value
        if (!first) view.setState(makeState(text.peek()))
        first = false
      }),
      effect(() => showProblems(view, problems.value)),
      effect(() => follow(view)),
      effect(() => {
        const ask = wanted.value
        if (!ask) return
        view.dispatch({ changes: [...ask.edits], userEvent: 'input' })
        const at = ask.edits[0]
        if (at) view.dispatch({ effects: EditorView.scrollIntoView(Math.min(at.from + 1, view.state.doc.length), { y: 'center' }) })
        wanted.value = null
      }),
    ]
    return () => {
      for (const stop of stops) stop()
      view.destroy()
    }
  }, [])
  return <div class="editor" ref={host} />
}
