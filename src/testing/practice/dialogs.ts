/**
 * The dialogs of the terminal door, as state machines: keys in, lines out, one result. They look and answer as claude's
 * do: a digit acts at once if it comes alone, Enter takes what is highlighted, Esc refuses and stops the turn, pasted text is ignored
 * except where text is asked for.
 */
import type { Permit, PracticeCall } from './face.js';
import type { PracticeKey } from './keys.js';
import { visible, wrap } from './painter.js';
import { blue, bold, digit, dim, type PageQuestion, QuestionPage } from './question-page.js';

export interface Dialog {
  lines(columns: number): string[];
  /** A permit settles the dialog. */
  key(key: PracticeKey): Permit | undefined;
  /** "Yes, for this session" was chosen. */
  granted?: boolean;
}

const CANCELLED: Permit = { allowed: false, reason: 'The user does not want to proceed with this.', interrupt: true };
const isCancel = (key: PracticeKey) => key.name === 'escape' || key.name === 'ctrl-c';

export function permissionDialog(call: PracticeCall): Dialog {
  const options = ['Yes', 'Yes, for this session', 'No'];
  let at = 0;
  const dialog: Dialog = {
    lines(columns) {
      const title = call.tool === 'Bash' ? 'Bash command' : `${call.tool} file`;
      const what =
        call.tool === 'Bash'
          ? String(call.input.command ?? '')
          : String(call.input.file_path ?? JSON.stringify(call.input));
      const body = wrap(visible(what), columns - 4).slice(0, 12);
      const about = call.input.description ? [`   ${dim(visible(String(call.input.description)))}`] : [];
      return [
        blue('─'.repeat(columns)),
        ` ${bold(title)}`,
        '',
        ...body.map((line) => `   ${line}`),
        ...about,
        '',
        ' Do you want to proceed?',
        ...options.map((text, index) => (index === at ? blue(` ❯ ${index + 1}. ${text}`) : `   ${index + 1}. ${text}`)),
        '',
        dim(' Esc to cancel'),
      ];
    },
    key(key) {
      if (isCancel(key)) return CANCELLED;
      if (key.name === 'up') at = Math.max(0, at - 1);
      if (key.name === 'down') at = Math.min(options.length - 1, at + 1);
      const chosen = key.name === 'enter' ? at + 1 : digit(key);
      if (chosen < 1 || chosen > options.length) return undefined;
      dialog.granted = chosen === 2;
      return chosen === 3
        ? { allowed: false, reason: 'The user does not want to run this.' }
        : { allowed: true, input: call.input };
    },
  };
  return dialog;
}

const PAGE_ROWS = ['Keys', 'Colours', 'Sounds', 'Words'];

/** A page of settings such as every agent has, of a shape that nobody who reads screens knows. Up and down look around, Esc leaves. */
export function settingsPage(): Dialog {
  let at = 0;
  return {
    lines: () => [
      bold('  Practice settings'),
      '',
      ...PAGE_ROWS.map(
        (name, index) => `  ${index === at ? '▸' : ' '} ${name.padEnd(12)} ${'▒'.repeat(3 + 2 * index)}`,
      ),
      '',
      dim(`  you look at ${PAGE_ROWS[at]}`),
    ],
    key(key) {
      if (key.name === 'up') at = Math.max(0, at - 1);
      if (key.name === 'down') at = Math.min(PAGE_ROWS.length - 1, at + 1);
      return isCancel(key) ? { allowed: true, input: {} } : undefined;
    },
  };
}

/** One question after the other; the last answer settles the dialog. */
export function questionDialog(call: PracticeCall): Dialog {
  const questions = call.input.questions as PageQuestion[];
  const answers: Record<string, string> = {};
  let page = new QuestionPage(questions[0]!);
  return {
    lines(columns) {
      const n = Object.keys(answers).length;
      const place = questions.length > 1 ? dim(`  ${n + 1} of ${questions.length}`) : '';
      return [blue('─'.repeat(columns)), ` ☐ ${bold(visible(page.asked.header))}${place}`, '', ...page.lines(columns)];
    },
    key(key) {
      if (isCancel(key)) return { ...CANCELLED, reason: 'The user did not answer the questions.' } as Permit;
      const answer = page.key(key);
      if (answer === undefined) return undefined;
      answers[page.asked.question] = answer;
      const next = questions[Object.keys(answers).length];
      if (!next) return { allowed: true, input: { ...call.input, answers } };
      page = new QuestionPage(next);
      return undefined;
    },
  };
}
