/** D3: every saved screen of Claude Code 2.1.325, on both screens and in three sizes, and the keys that answer its pages. */
import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { savedScreen, textFile } from '../../../test/recordings/play.js';
import { tuiOf, word } from '../../../test/recordings/states.js';
import type { Verdict } from '../../contract/index.js';
import type { ScreenReading } from '../adapter.js';

const FOLDER = './claude-2.1.325/screens';
const EXPECTED = (JSON.parse(textFile('./expected-states.json')) as { screens: Record<string, Record<string, string>> })
  .screens['claude-2.1.325']!;
const NAMES = readdirSync(new URL(`../../../test/recordings/${FOLDER}`, import.meta.url)).map((file) =>
  file.replace('.txt', ''),
);

const see = (name: string): ScreenReading => tuiOf('claude-2.1.325').read(savedScreen(`${FOLDER}/${name}.txt`));

describe('D3: the named screens', () => {
  it('all have an expectation', () => {
    expect(NAMES.sort()).toEqual(Object.keys(EXPECTED).sort());
    expect(NAMES).toHaveLength(148);
  });

  it.each(Object.entries(EXPECTED))('%s is %s', (name, expected) => {
    expect(word(see(name))).toBe(expected);
  });

  it.each(Object.entries(EXPECTED))('%s (%s), once OSC 7501 speaks and the title no longer does', (name, expected) => {
    const shot = savedScreen(`${FOLDER}/${name}.txt`);
    const sign = { '✳': 'idle', '◐': 'working', '◑': 'working' }[shot.title.charAt(0)];
    if (sign === undefined) return expect(shot.title).toBe('');
    const tui = tuiOf('claude-2.1.325');
    tui.osc?.(7501, `state=${sign}:app=claude-code`);
    expect(word(tui.read({ ...shot, title: 'Claude Code' }))).toBe(expected);
  });

  it('says asking, and never ready, while OSC 7501 says blocked, whatever the screen shows', () => {
    for (const [name, expected] of Object.entries(EXPECTED)) {
      const tui = tuiOf('claude-2.1.325');
      tui.osc?.(7501, 'state=blocked:app=claude-code:kind=permission:msg=eA==');
      const { state } = tui.read(savedScreen(`${FOLDER}/${name}.txt`));
      expect([name, expected, state]).toEqual([name, expected, expect.stringMatching(/^asking-/)]);
    }
  });

  it('agrees with the status file wherever that says "waiting"', () => {
    for (const name of NAMES) {
      const status = /status=(\{.*\})$/.exec(textFile(`${FOLDER}/${name}.txt`).split('\n')[0] ?? '')?.[1];
      const tui = tuiOf('claude-2.1.325');
      const state = tui.status?.(status ?? '');
      if (!state?.startsWith('asking') || name.endsWith('-ax')) continue;
      expect([name, tui.read(savedScreen(`${FOLDER}/${name}.txt`)).state]).toEqual([
        name,
        expect.stringMatching(/^asking-/),
      ]);
    }
  });
});

const allow: Verdict = { kind: 'allow' };
const deny: Verdict = { kind: 'deny' };
const value = (id: string, chosen: string): Verdict => ({ kind: 'values', values: { [id]: [chosen] } });
const DOWN = '\x1b[B';
const UP = '\x1b[A';
const ENTER = '\r';
const ESC = '\x1b';

describe('D3: keys follow the labels, and the pointer where there are no numbers', () => {
  it.each<[string, Verdict, string[] | undefined]>([
    // "No, exit" is first and pointed at: the way to "yes" begins with an arrow, never with Enter or a digit.
    ['trust-dialog', value('trust-folder', 'Yes, I trust this folder'), [DOWN, ENTER]],
    ['trust-dialog', value('trust-folder', 'No, exit'), [ENTER]],
    ['trust-dialog', value('trust-folder', '2'), [DOWN, ENTER]],
    ['trust-dialog', allow, undefined],
    ['trust-dialog-no', value('trust-folder', 'Yes, I trust this folder'), [ENTER]],
    ['trust-dialog-no', value('trust-folder', 'No, exit'), [UP, ENTER]],
    ['trust-dialog-with-config', value('trust-folder', 'Yes, I trust this folder'), [DOWN, ENTER]],
    ['onboard-trust-40x20', value('trust-folder', 'Yes, I trust this folder'), [DOWN, ENTER]],
    ['onboard-apikey', value('api-key', 'Yes'), [UP, ENTER]],
    ['onboard-apikey-40x20', value('api-key', 'No (recommended)'), [ENTER]],
    ['onboard-theme', value('theme', 'Auto (match terminal)'), [UP, ENTER]],
    ['onboard-theme', value('theme', 'Light mode'), [DOWN, ENTER]],
    ['onboard-theme', value('theme', '4'), [DOWN, DOWN, ENTER]],
    ['onboard-security-40x20', value('security-notes', 'Continue'), [ENTER]],
    ['settings-error-dialog', value('settings-error', 'Continue without these settings'), [DOWN, DOWN, ENTER]],
    ['config-corrupt-dialog', value('configuration-error', 'Exit and fix manually'), [ENTER]],
    // Four options: the third would end the asking.
    ['perm-bash', allow, ['1']],
    ['perm-bash', deny, ['4']],
    ['perm-bash-80x24', deny, ['4']],
    ['perm-bash-40x20', allow, undefined],
    ['perm-edit', deny, ['3']],
    ['perm-webfetch', allow, ['1']],
    ['perm-webfetch', deny, ['3']],
    ['perm-webfetch-40x20', deny, ['3']],
    ['auto-perm-after-stay', allow, [DOWN, ENTER]],
    ['auto-perm-after-stay', deny, [ENTER]],
    ['auto-curl', value('auto-mode-unchecked', '1'), [ENTER]],
    ['auto-curl', value('auto-mode-unchecked', 'Cancel'), [ESC]],
    ['auto-curl', deny, [ESC]],
    ['auto-curl', allow, undefined],
    ['plan-approve', allow, ['2']],
    ['plan-approve', deny, [ESC]],
    ['exit-2', value('background-work', 'Stay'), [DOWN, DOWN, ENTER]],
    // One of its options is below the screen: it is a person's to answer.
    ['exit-2-40x20', value('background-work', '1'), undefined],
    ['model-switch', value('switch-model', 'No, go back'), [DOWN, ENTER]],
    ['ask-single', value('question', 'MongoDB'), ['3']],
    ['ask-single-noalt-env', value('question', 'CockroachDB'), ['4', 'CockroachDB', ENTER]],
    ['ask-multi-40x20', value('question', 'Metrics'), ['3', '\t', '1']],
    ['ask-multi-review', value('review', 'Submit answers'), [ENTER]],
  ])('%s %j', (name, verdict, keys) => {
    expect(see(name).dialog?.keys({ verdict })).toEqual(keys);
  });

  it('a command that fills the screen does not name its own tool, and is answered by whoever sees it', () => {
    const shot = savedScreen(`${FOLDER}/perm-bash-40x20.txt`);
    const read = tuiOf('claude-2.1.325').read({ ...shot, lines: [' Read', ...shot.lines.slice(1)] });
    expect(read).toEqual({ state: 'asking-permission', unread: expect.stringContaining('touch x.txt && npm test') });
  });

  it('a wrapped label is no choice: the page is then for a person', () => {
    const shot = savedScreen(`${FOLDER}/trust-dialog.txt`);
    const at = shot.lines.findIndex((line) => line.includes('Yes, I trust this folder'));
    const lines = shot.lines.toSpliced(at, 2, '   Yes, I trust this', '     folder');
    const { state, dialog } = tuiOf('claude-2.1.325').read({ ...shot, lines });
    expect([state, dialog]).toEqual(['asking-question', undefined]);
  });
});
