/**
 * Claude Code's dialogs as they stand on the screen: permission, plan, question, pages, and "some other widget". Labels
 * are read, keys follow from them; only the digits and arrows measured to work are ever sent.
 * Surprising: a permission dialog has two, three or four options, "No" is any of them but the first, some have no
 * numbers and point at "No"; where there are numbers, digits act at once.
 */
import type { ScreenShot } from '../../contract/index.js';
import type { InquiryDraft } from '../adapter.js';
import { type Body, bodyOf, type Found, isPointedAt, isStarting } from './claude-body.js';
import { CONFIRM_FOOTER, confirmPage, onboardingPage, UNCHECKED_FOOTER, uncheckedPage } from './claude-pages.js';
import { question, review } from './claude-questions.js';
import {
  choicesIn,
  ESC,
  isRule,
  keyOf,
  type Lines,
  type Menu,
  type MenuOption,
  menuIn,
  otherDialog,
  textBetween,
  walkTo,
} from './screen-text.js';

/** `Tab to amend` is gone while the person amends: then the dialog is theirs and not to be operated. */
const PERMISSION_FOOTER = /^ Esc to cancel(?: · Tab to amend)?(?: · ctrl\+e to \w+)?$/;
const QUESTION_FOOTER = /^Enter to select · (?:[^·]+ · ){1,3}Esc to cancel$/;
/** Widgets that say how to leave them; only below a rule at column 0. */
const SOME_FOOTER = /(?:^ {0,3}| · )Esc to \w+$/;
/** Where the pointer may stand. */
const COLUMNS = [0, 1, 2, 3];

export function claudeDialog(all: Lines, screen: ScreenShot): Found {
  const { text, last } = all;
  if (last < 0) return undefined;
  const onboarding = onboardingPage(all, screen);
  if (onboarding) return onboarding;
  // A program that ended clears its title and leaves its last picture behind, with the cursor below it.
  if (screen.cursor.y > last && screen.title === '') return undefined;
  // Still painting: the cursor is where the last character went. Done, it is parked elsewhere.
  if (screen.cursor.y === last && screen.cursor.x >= (text[last] ?? '').length) return undefined;
  const body = bodyOf(all, screen);
  const footer = text[last] ?? '';
  if (PERMISSION_FOOTER.test(footer)) return permission(body, last - 1);
  // On a narrow screen the last words stand on a line of their own.
  if (QUESTION_FOOTER.test(footer)) return question(body, last - 1);
  if (QUESTION_FOOTER.test(`${text[last - 1] ?? ''} ${footer}`)) return question(body, last - 2);
  if (body.from === 0 && !isStarting(screen)) return footerless(body);
  const page = confirmPage(body, footer) ?? uncheckedPage(body, footer);
  if (page || body.from === 0) return page;
  if (/^[←☐☒]/.test(body.heading)) return review(body);
  return footerless(body) ?? plan(body) ?? other(body, footer);
}

const TOOLS: Record<string, string> = {
  'Bash command': 'Bash',
  'Create file': 'Write',
  'Edit file': 'Edit',
  Fetch: 'WebFetch',
};
const isYes = ({ label, detail }: MenuOption): boolean => label === 'Yes' && detail.length === 0;
const isNo = ({ label }: MenuOption): boolean => label === 'No' || label.startsWith('No, ');

function permission({ lines, from, heading, screen }: Body, to: number): Found {
  const where = { from, to, pointer: '❯', column: 1 };
  const numbered = menuIn(lines, where);
  const menu = numbered ?? choicesIn(lines, where);
  // `…` stands where the change will be painted in a moment; nobody should be asked about a change not yet shown.
  const unpainted = lines.slice(from, menu?.first).includes('…');
  // Cut off at the top, nobody sees all that is asked, and the first line may be of the command's own making.
  if (from === 0 || !menu || !isPointedAt(menu, screen) || unpainted) return { state: 'asking-permission' };
  const shown = textBetween(lines, from, menu.first - 1);
  const [title = '', agent] = heading.split(' · from the ');
  const inquiry: InquiryDraft = {
    kind: 'run',
    tool: TOOLS[title] ?? title,
    // The screen wraps and shortens: good for people to read, not for rules to match a command against.
    input: { screen: shown },
    exclusive: false,
    ...(agent === undefined ? {} : { parent: agent.replace(/ agent$/, '') }),
  };
  const press = (option: MenuOption) => (numbered ? [String(option.number)] : walkTo(menu, option));
  return asked(inquiry, menu, shown, {
    allow: menu.options.find(isYes),
    deny: menu.options.find(isNo),
    press,
  });
}

/** A dialog that decides about a call: what allows it, what refuses it, and how an option is taken. */
function asked(
  inquiry: InquiryDraft,
  menu: Menu,
  shown: string,
  taken: { allow: MenuOption | undefined; deny: MenuOption | undefined; press(option: MenuOption): string[] },
): Found {
  const { allow, deny, press } = taken;
  return {
    dialog: {
      key: keyOf('permission', [shown, ...menu.options.flatMap(({ label, detail }) => [label, ...detail])]),
      kind: 'permission',
      inquiry,
      keys({ verdict, interrupt }) {
        if (verdict.kind === 'allow' && interrupt !== true) {
          return allow && verdict.input === undefined ? press(allow) : undefined;
        }
        return deny && interrupt !== true ? press(deny) : [ESC];
      },
    },
  };
}

/** Some permission dialogs end with their last option (a web page, since 2.1.325 others too). */
function footerless(body: Body): Found {
  const { lines, from, to, screen } = body;
  const menu = menuIn(lines, { from, to, pointer: '❯', column: 1 });
  if (!menu || menu.last !== to || !menu.options.some(isYes) || !menu.options.some(isNo)) return undefined;
  const above = lines.slice(from, menu.first).join(' ');
  // A menu at the very bottom may go on below it.
  if (!/ Do you want to [^?]{1,200}\? *$/.test(above) || (to === screen.rows - 1 && !isNo(menu.options.at(-1)!))) {
    return undefined;
  }
  return permission(body, to);
}

const BY_HAND = 'Yes, manually approve edits';

/** Claude has a plan. Allowed, it goes on and asks about each edit; what would stop the asking is for a person to press. */
function plan({ lines, from, to, screen }: Body): Found {
  for (const column of COLUMNS) {
    const menu = menuIn(lines, { from, to, pointer: '❯', column });
    const allow = menu?.options.find(({ label }) => label === BY_HAND);
    if (!menu || !allow || !isPointedAt(menu, screen)) continue;
    const shown = textBetween(lines, planStart(lines, from, screen.cols), menu.first - 1);
    const inquiry: InquiryDraft = { kind: 'run', tool: 'ExitPlanMode', input: { screen: shown }, exclusive: false };
    return asked(inquiry, menu, shown, { allow, deny: undefined, press: (option) => [String(option.number)] });
  }
  return undefined;
}

/** The plan stands between two rules, above the question: nobody should be asked about a plan they are not shown. */
function planStart(lines: string[], from: number, cols: number): number {
  const rule = lines.findLastIndex((line, row) => row < from - 1 && isRule(line, cols));
  return (lines[rule + 1] ?? '').trim() === 'Ready to code?' ? rule + 1 : from;
}

function other({ lines, from, to, screen }: Body, footer: string): Found {
  // No dialog begins at column 0: this is the input box, half painted.
  if (/^[❯!]/.test(lines[from] ?? '')) return undefined;
  const menu = COLUMNS.map((column) => menuIn(lines, { from, to, pointer: '❯', column })).find(
    (found) => found !== undefined,
  );
  const pointed = menu !== undefined && menu.options.length > 1 && isPointedAt(menu, screen);
  // A page we know that is being painted over keeps its footer for a moment, but no longer the cursor.
  const known = CONFIRM_FOOTER.test(footer) || UNCHECKED_FOOTER.test(footer);
  if (!pointed && (known || !SOME_FOOTER.test(footer))) return undefined;
  return { dialog: otherDialog(textBetween(lines, from, to)) };
}
