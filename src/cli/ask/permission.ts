/**
 * May the agent use this tool, or read this result? A pure state machine. Only a pressed key answers: Enter alone and
 * pasted text never do, and there is no default.
 */
import type { Inquiry, Suggestion } from '../../contract/index.js';
import { proposedWords, proposerOf, suggestionLine } from '../suggestion-words.js';
import type { AnswerArgs, Around, DialogStep, TypingMode } from './dialog.js';
import {
  cutRows,
  type DialogSize,
  type DialogView,
  flow,
  heightOf,
  isRoomy,
  keyItem,
  plain,
  roomOf,
  rowCells,
  type SpanRow,
  type Style,
  wrap,
} from './draw.js';
import { editable, fileText, readEdited } from './edit-input.js';
import type { EditorOutcome } from './editor.js';
import type { Key } from './keys.js';
import { type EditedLine, editLine, lineOf, lineView, textOf } from './line-editor.js';
import { type Page, pageView, turnPage } from './pager.js';
import { headline, permissionRows } from './permission-text.js';
import { safe } from './text.js';

/** Rows of detail before "? shows all": enough to judge, few enough to read. */
const MOST_ROWS = 12;
/** Of what is suggested, before it is looked at. */
const MOST_SUGGESTED = 3;

export interface PermissionState {
  of: 'permission';
  inquiry: Inquiry;
  /** What "allow for this session" would create; without it that is not offered. */
  rule?: string;
  /** A real editor can be started. */
  hasEditor: boolean;
  /** What would be allowed: the agent's input, or what a person made of it. */
  input: unknown;
  edited: boolean;
  mode: 'choose' | 'reason' | 'edit' | 'details' | 'suggested';
  /** The one that is shown to be taken; another may have come meanwhile. */
  suggestion?: Suggestion;
  line: EditedLine;
  page: Page;
  /** What came out of the editor and could not be read: edited on from there. */
  draft?: string;
  note?: string;
}

export function permission(
  inquiry: Inquiry,
  options: { rule?: string | undefined; hasEditor: boolean },
): PermissionState {
  const { rule, hasEditor } = options;
  return {
    of: 'permission',
    inquiry,
    ...(rule === undefined ? {} : { rule }),
    hasEditor,
    input: inquiry.input,
    edited: false,
    mode: 'choose',
    line: lineOf(''),
    page: { top: 0 },
  };
}

/** Enter behind a reason only denies; behind an edited command it allows. */
export const permissionTypes = ({ mode }: PermissionState): TypingMode =>
  mode === 'reason' ? 'says' : mode === 'edit' ? 'allows' : 'no';

export function pressPermission(before: PermissionState, key: Key, around: Around): DialogStep<PermissionState> {
  const { note: _, ...state } = before;
  switch (state.mode) {
    case 'choose':
      return choose(state, key, around);
    case 'reason':
      return giveReason(state, key);
    case 'edit':
      return edit(state, key);
    case 'suggested':
      return takeSuggestion(state, key);
    case 'details': {
      const count = permissionRows(state.inquiry, state.input, roomOf(around.size)).length;
      const page = turnPage(state.page, key, { count, size: around.size });
      return { state: page ? { ...state, page } : { ...state, mode: 'choose' } };
    }
  }
}

function choose(state: PermissionState, key: Key, { size, suggestion }: Around): DialogStep<PermissionState> {
  if (key.name === 'paste') return { state: { ...state, note: 'pasted text does not answer: press a key' } };
  if (key.name !== 'text') return { state };
  switch (key.text.toLowerCase()) {
    case 'y':
      return state.edited
        ? answered(state, { given: { input: state.input }, style: 'good', words: '✓ allowed, edited' })
        : answered(state, { given: { words: ['allow'] }, style: 'good', words: '✓ allowed' });
    case 's':
      if (!mayGrant(state, size)) return { state };
      return answered(state, {
        given: { words: ['allow'], scope: 'session' },
        style: 'good',
        words: `✓ allowed for this session (${safe(state.rule!)})`,
      });
    case 'n':
      return answered(state, { given: { words: ['deny'] }, style: 'warn', words: '✗ denied' });
    case 'r':
      return { state: { ...state, mode: 'reason', line: lineOf('') } };
    case 'e':
      return startEdit(state);
    case 't':
      return { state: offers(state, suggestion) ? { ...state, mode: 'suggested', suggestion } : state };
    case '?':
      return { state: { ...state, mode: 'details', page: { top: 0 } } };
    default:
      return { state };
  }
}

/** Of what the agent asked for; what a person made of it nobody has judged. */
const offers = ({ edited }: PermissionState, suggestion: Suggestion | undefined): suggestion is Suggestion =>
  !edited && suggestion?.mark !== undefined;

/** As with a question: two keys, the second one behind the words it takes. */
function takeSuggestion(before: PermissionState, key: Key): DialogStep<PermissionState> {
  const { suggestion, ...rest } = before;
  const state: PermissionState = { ...rest, mode: 'choose' };
  if (key.name !== 'enter' || !suggestion?.mark) return { state };
  const isYes = suggestion.verdict.kind === 'allow';
  const words = `${isYes ? '✓ allowed' : '✗ denied'} as ${safe(proposerOf(suggestion))} suggested`;
  return answered(state, { given: { suggested: suggestion.mark }, style: isYes ? 'good' : 'warn', words });
}

function giveReason(state: PermissionState, key: Key): DialogStep<PermissionState> {
  if (key.name === 'escape') return { state: { ...state, mode: 'choose' } };
  if (key.name !== 'enter') return { state: { ...state, line: editLine(state.line, key) } };
  const reason = textOf(state.line).trim();
  const given = { words: ['deny'], ...(reason === '' ? {} : { reason }) };
  return answered(state, { given, style: 'warn', words: reason === '' ? '✗ denied' : `✗ denied (${safe(reason)})` });
}

function startEdit(state: PermissionState): DialogStep<PermissionState> {
  const found = mayEdit(state) ? editable(state.input) : undefined;
  if (!found) return { state };
  if (found.long && state.hasEditor) {
    const file = fileText(state.input);
    return { state, does: { do: 'edit-file', ...file, text: state.draft ?? file.text } };
  }
  return { state: { ...state, mode: 'edit', line: lineOf(found.text) } };
}

function edit(state: PermissionState, key: Key): DialogStep<PermissionState> {
  if (key.name === 'escape') return { state: { ...state, mode: 'choose' } };
  if (key.name !== 'enter') return { state: { ...state, line: editLine(state.line, key) } };
  const read = readEdited(textOf(state.line), state.inquiry.input);
  if ('problem' in read) return { state: { ...state, note: read.problem } };
  const changed = { ...state, input: read.input, edited: true };
  return answered(changed, { given: { input: read.input }, style: 'good', words: '✓ allowed, edited' });
}

/** The real editor is done: its text is shown, and still has to be allowed. */
export function editedInFile(state: PermissionState, outcome: EditorOutcome): PermissionState {
  if ('problem' in outcome) return { ...state, note: outcome.problem };
  const { draft, ...rest } = state;
  const { text } = outcome;
  if (text === (draft ?? fileText(state.input).text)) return { ...state, note: 'nothing was changed' };
  const read = readEdited(text, state.inquiry.input);
  if ('problem' in read) return { ...rest, draft: text, note: `${read.problem}; e edits again` };
  return { ...rest, input: read.input, edited: true, note: 'edited: y allows this' };
}

function answered(
  state: PermissionState,
  said: { given: AnswerArgs; style: Style; words: string },
): DialogStep<PermissionState> {
  const { given, style, words } = said;
  const summary: SpanRow = [{ text: words, style }, { text: ` · ${headline(state.inquiry, state.input)}` }];
  return { state, does: { do: 'answer', given, summary } };
}

/** The rule was made for the agent's own input, not for an edited one; and it must be seen before it is given. */
const mayGrant = (state: PermissionState, size: DialogSize): boolean =>
  state.rule !== undefined && !state.edited && isRoomy(size);
const mayEdit = ({ inquiry }: PermissionState): boolean =>
  inquiry.kind === 'run' && inquiry.editable === true && editable(inquiry.input) !== undefined;

export function permissionView(state: PermissionState, { size, title, stage, suggestion }: Around): DialogView {
  const width = roomOf(size);
  const body = permissionRows(state.inquiry, state.input, width);
  if (state.mode === 'details') return pageView(state.page, { title, rows: body, size });
  const note = state.note === undefined ? [] : wrap(plain(safe(state.note), 'warn'), { width }).slice(0, 2);
  const typing = permissionTypes(state) !== 'no';
  const foot = typing ? [hint(state)] : footRows(state, { size, suggestion });
  const head = stage && isRoomy(size) ? [title, stage] : [title];
  const room = heightOf(size) - head.length - note.length - foot.length - (typing ? 1 : 0);
  const rows = [...head, ...cutRows(body, Math.max(1, Math.min(MOST_ROWS, room))), ...note, ...foot];
  if (!typing) return { rows };
  const { row, cursor } = lineView(state.line, { width });
  return { rows: [...rows, row], cursor };
}

function footRows(
  state: PermissionState,
  { size, suggestion }: { size: DialogSize; suggestion: Suggestion | undefined },
): SpanRow[] {
  const width = roomOf(size);
  const shown = state.mode === 'suggested' ? state.suggestion : suggestion;
  if (!offers(state, shown)) return keyRows(state, size, false);
  const style = state.mode === 'suggested' ? 'chosen' : 'dim';
  const said = wrap(plain(safe(suggestionLine(state.inquiry, shown)), style), { width, indent: 2 });
  if (state.mode !== 'suggested') return [...said.slice(0, MOST_SUGGESTED), ...keyRows(state, size, true)];
  const keys = flow([keyItem('Enter', proposedWords(state.inquiry, shown)), keyItem('Esc', 'back')], width);
  return [...said.slice(0, Math.max(1, Math.floor(heightOf(size) / 2))), ...keys];
}

function hint({ mode }: PermissionState): SpanRow {
  return mode === 'reason'
    ? plain('Why not? The agent is told.  Enter denies · Esc goes back', 'dim')
    : plain('Edit what will run.  Enter allows it so · Esc goes back', 'dim');
}

function keyRows(state: PermissionState, size: DialogSize, isSuggested: boolean): SpanRow[] {
  const width = roomOf(size);
  if (!isRoomy(size)) return flow([keyItem('y', 'yes'), keyItem('n', 'no'), keyItem('?', '')], width);
  const rule = mayGrant(state, size) ? safe(state.rule!) : undefined;
  // Brackets in a rule could look like keys of ours: such a rule, or a long one, gets a row of its own.
  const beside = rule !== undefined && /^[\w\s()*:./=@%+,~-]+$/.test(rule) && rowCells(plain(rule)) < width / 2;
  const items = [
    keyItem('y', state.edited ? 'allow as edited' : 'allow'),
    ...(rule === undefined ? [] : [keyItem('s', `allow for this session${beside ? `: ${rule}` : ''}`)]),
    keyItem('n', 'deny'),
    keyItem('r', 'deny with a reason'),
    ...(mayEdit(state) ? [keyItem('e', 'edit')] : []),
    ...(isSuggested ? [keyItem('t', 'take what is suggested')] : []),
    keyItem('?', 'details'),
  ];
  const own = rule === undefined || beside ? [] : wrap(plain(`  s would allow: ${rule}`), { width, indent: 4 });
  return [...own, ...flow(items, width)];
}
