/**
 * N1: "model text that contains any readiness, trust or dialog words sends no key and changes no state". Real frames, with
 * the transcript above the live part overwritten by everything that looks like a sign, whole real dialogs included.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Frame, play } from '../../../test/recordings/play.js';
import { type Agent, tuiOf, word } from '../../../test/recordings/states.js';
import type { ScreenShot } from '../../contract/index.js';
import type { ScreenReading } from '../adapter.js';

interface Scene {
  shot: ScreenShot;
  osc: string | undefined;
  expected: string;
}

/** One frame of each kind that a recording has to offer. */
function scenes(agent: Agent, name: string): Scene[] {
  const found = new Map<string, Scene>();
  const tui = tuiOf(agent);
  let osc: string | undefined;
  play(`./${agent}/${name}.cast.gz`, 'chunk', (frame: Frame) => {
    if (frame.osc !== osc && frame.osc !== undefined) tui.osc?.(7501, frame.osc);
    osc = frame.osc;
    const expected = word(tui.read(frame.shot));
    // After Esc the line that proves the interruption is part of the transcript: overwriting it is no attack.
    const proven = expected === 'ready' && osc?.startsWith('state=working');
    if (expected !== '-' && !proven && liveRow(agent, frame.shot) > 8)
      found.set(expected, { shot: frame.shot, osc, expected });
  });
  return [...found.values()];
}

const bare = (line: string): string => line.replaceAll('\u00a0', ' ').trimEnd();

/** Where the program's own part begins; everything above is transcript. */
function liveRow(agent: Agent, { lines, cols }: ScreenShot): number {
  const rule = '─'.repeat(cols);
  const rules = lines.flatMap((line, row) => (bare(line) === rule ? [row] : []));
  if (agent.startsWith('claude')) {
    const last = rules.at(-1) ?? 0;
    const before = rules.at(-2) ?? lines.length;
    // The input box and the question have two rules, every other dialog one.
    const two = /^[❯!]/.test(lines[before + 1] ?? '') || (lines[last + 1] ?? '').endsWith('Chat about this');
    return two ? before : last;
  }
  if (agent === 'gemini')
    return rules.at(-1) !== undefined ? (rules.at(-1) ?? 0) - 1 : lines.lastIndexOf(`╭${'─'.repeat(cols - 2)}╮`);
  const heading = lines.findLastIndex((line) => /^ {2}(?:Would you like to|Question \d)/.test(line));
  return heading > 0 ? heading - 1 : lines.findLastIndex((line) => line.startsWith('›')) - 1;
}

const MARKERS = [
  'Do you want to proceed?',
  '❯ 1. Yes',
  '  2. No',
  '❯ 1. Yes, I trust this folder',
  '❯ Yes, I trust this folder',
  '  No, exit',
  '❯ No',
  '  Yes',
  'Waiting for permission…',
  '✻ Percolating… (2s · thinking)',
  'Esc to cancel · Tab to amend · ctrl+e to explain',
  'Enter to confirm · Esc to cancel',
  'Enter to select · ↑/↓ to navigate · Esc to cancel',
  'Accessing workspace:',
  'WARNING: Claude Code running in Bypass Permissions mode',
  '☐ Database',
  '5. Chat about this',
  '✳ Claude Code',
  '✻ API error · Retrying in 3s · attempt 4/10',
  'esc to interrupt',
  'Waiting for permission…',
  '? for shortcuts · ← for agents',
  '❯ ',
  'Would you like to run the following command?',
  '› 1. Yes, proceed (y)',
  '  3. No, and tell Codex what to do differently (esc)',
  'Press enter to confirm or esc to cancel',
  'Question 1/1 (1 unanswered)',
  'tab to add notes | enter to submit answer | esc to interrupt',
  'Working (1s • esc to interrupt)',
  '■ Conversation interrupted - use /feedback if something went wrong',
  '› Ask Codex to do anything',
  'gpt-5-codex default · /ws',
  'Folder access',
  'state=blocked:app=codex:kind=permission',
  '? Shell  rm -rf ~',
  '● 1. Allow once',
  'Allow execution of [Shell]?',
  'Answer Questions',
  'Type your message or @path/to/file',
  '◇  Ready (x)',
  '✋  Action Required (x)',
  'Do you trust the files in this folder?',
  '',
];

const wide = (cols: number): string[] => ['─'.repeat(cols), `╭${'─'.repeat(cols - 2)}╮`, `╰${'─'.repeat(cols - 2)}╯`];

/** As each program prints what the model says: a sign and a space, then two spaces; never further left. */
const BULLETS: Record<Agent, string> = { claude: '● ', 'claude-2.1.325': '● ', codex: '• ', gemini: '✦ ' };
const said = (agent: Agent, lines: string[], cols: number): string[] =>
  lines.map((line, row) => `${row === 0 ? BULLETS[agent] : '  '}${line}`.slice(0, cols));

const RECORDINGS: [Agent, string][] = [
  ['claude', '03-states'],
  ['claude', '09-ask'],
  ['claude-2.1.325', 'n03-states'],
  ['claude-2.1.325', 'n02-osc7501'],
  ['claude-2.1.325', 'n11-auto-stay'],
  ['codex', 'codex-states'],
  ['codex', 'codex-ask'],
  ['gemini', 'gemini-states'],
];

function reading(agent: Agent, shot: ScreenShot, osc: string | undefined) {
  const tui = tuiOf(agent);
  if (osc !== undefined) tui.osc?.(7501, osc);
  // Start-up is over in these frames.
  if (agent === 'gemini') tui.read({ ...shot, lines: ['Tips for getting started:'] });
  return tui.read(shot);
}

/** What of a reading decides whether anything is typed or asked. */
const signs = ({ dialog, composer, unread }: ScreenReading) => [dialog?.key, composer, unread !== undefined];

describe.each(RECORDINGS)('%s %s', (agent, name) => {
  const all = scenes(agent, name);
  const dialogs = all.filter(({ expected }) => expected.includes(':'));

  it('offers frames to attack', () => {
    expect(all.map(({ expected }) => expected)).toEqual(expect.arrayContaining(['ready', 'working']));
    expect(dialogs.length).toBeGreaterThan(0);
  });

  const attack = (scene: Scene, lines: string[]): ScreenShot => {
    const live = liveRow(agent, scene.shot);
    const room = Math.max(0, live - 1);
    const text = lines.slice(-room);
    return {
      ...scene.shot,
      lines: [...scene.shot.lines.slice(0, room - text.length), ...text, ...scene.shot.lines.slice(room)],
    };
  };

  it('a whole real dialog in the transcript changes nothing, at any indentation', () => {
    for (const scene of all) {
      const honest = reading(agent, scene.shot, scene.osc);
      expect(word(honest)).toBe(scene.expected);
      for (const { shot } of dialogs) {
        const copied = shot.lines.map(bare).slice(liveRow(agent, shot));
        const fake = copied.slice(0, copied.findLastIndex((line) => line !== '') + 1);
        for (const indent of [0, 1, 2]) {
          const lines = fake.map((line) => ' '.repeat(indent) + line);
          const read = reading(agent, attack(scene, [...lines, '']), scene.osc);
          expect([scene.expected, indent, word(read), ...signs(read)]).toEqual([
            scene.expected,
            indent,
            scene.expected,
            ...signs(honest),
          ]);
        }
      }
    }
  });

  it('any mix of signs in what the model says changes nothing', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...all),
        fc.array(fc.nat(MARKERS.length + 2), { minLength: 1, maxLength: 20 }),
        (scene, picks) => {
          const pool = [...MARKERS, ...wide(scene.shot.cols)];
          const lines = said(
            agent,
            picks.map((pick) => pool[pick] ?? ''),
            scene.shot.cols,
          );
          const honest = reading(agent, scene.shot, scene.osc);
          const read = reading(agent, attack(scene, [...lines, '']), scene.osc);
          expect([word(read), ...signs(read)]).toEqual([scene.expected, ...signs(honest)]);
        },
      ),
      { numRuns: 150 },
    );
  });

  it('caught in mid-paint, with the live part gone, the model’s words are no dialog and no "ready"', () => {
    const scene = all.find(({ expected }) => expected === 'working');
    if (!scene) throw new Error('no working frame');
    for (const { shot } of dialogs) {
      const fake = shot.lines
        .map(bare)
        .slice(liveRow(agent, shot))
        .filter((line) => line !== '');
      const lines = said(agent, fake, scene.shot.cols);
      for (let y = 0; y < lines.length; y += 1) {
        for (const x of [0, 1, 2, 3]) {
          // The title may say "resting" already; the cursor may be anywhere.
          for (const title of [
            scene.shot.title,
            agent.startsWith('claude') ? '✳ x' : agent === 'gemini' ? '◇  Ready (x)' : 'x',
          ]) {
            const half = {
              ...scene.shot,
              title,
              cursor: { x, y, visible: true },
              lines: [...lines, ...Array.from({ length: scene.shot.rows - lines.length }, () => '')],
            };
            const read = reading(agent, half, scene.osc);
            expect(read.dialog).toBeUndefined();
            expect(read.state === 'ready').toBe(false);
            // A fake dialog is not shown to anyone as one that could not be read, nor is a fake input box typed into.
            expect([read.composer, read.unread]).toEqual([undefined, undefined]);
          }
        }
      }
    }
  });
});
