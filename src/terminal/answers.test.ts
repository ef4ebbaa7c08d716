import { afterEach, describe, expect, test } from 'vitest';
import { HandClock } from '../contract/index.js';
import { Screen } from './screen.js';

const open: Screen[] = [];
afterEach(() => {
  for (const screen of open.splice(0)) screen.close();
});

function asked(clock?: HandClock): { screen: Screen; answers: () => string } {
  const screen = new Screen({ size: { cols: 80, rows: 24 }, ...(clock ? { clock } : {}) });
  open.push(screen);
  let said = '';
  screen.onReply((bytes) => {
    said += Buffer.from(bytes).toString('utf8');
  });
  return { screen, answers: () => said };
}

const ask = (screen: Screen, text: string): void => screen.write(Buffer.from(text, 'utf8'));

describe('device answers', () => {
  test.each([
    ['DA1', '\x1b[c', '\x1b[?1;2c'],
    ['DA1 with 0', '\x1b[0c', '\x1b[?1;2c'],
    ['DA2', '\x1b[>c', '\x1b[>0;276;0c'],
    ['status', '\x1b[5n', '\x1b[0n'],
    ['cursor position', '\x1b[7;9H\x1b[6n', '\x1b[7;9R'],
    ['cursor position before what follows', '\x1b[7;9H\x1b[6n\x1b[1;1Hmore', '\x1b[7;9R'],
    ['foreground', '\x1b]10;?\x1b\\', '\x1b]10;rgb:d0d0/d0d0/d0d0\x1b\\'],
    ['background', '\x1b]11;?\x07', '\x1b]11;rgb:0000/0000/0000\x1b\\'],
    ['colour scheme', '\x1b[?996n', '\x1b[?997;1n'],
    ['XTVERSION', '\x1b[>0q', '\x1bP>|Reins\x1b\\'],
    ['kitty keyboard', '\x1b[?u', '\x1b[?0u'],
    ['kitty keyboard after push', '\x1b[>7u\x1b[?u', '\x1b[?7u'],
    ['kitty keyboard after push and pop', '\x1b[>7u\x1b[<u\x1b[?u', '\x1b[?0u'],
    ['DECRQM of a known mode', '\x1b[?2004h\x1b[?2004$p', '\x1b[?2004;1$y'],
    ['DECRQM of an unknown mode', '\x1b[?9999$p', '\x1b[?9999;0$y'],
    ['DECRQSS', '\x1bP$qm\x1b\\', '\x1bP1$r0m\x1b\\'],
    ['XTGETTCAP is refused', '\x1bP+q544e\x1b\\', '\x1bP0+r\x1b\\'],
    ['program status', '\x1b]7501;?\x07', '\x1b]7501;?\x1b\\'],
    ['program status that is told, not asked', '\x1b]7501;state=idle:app=claude-code\x07', ''],
    ['size in characters', '\x1b[18t', '\x1b[8;24;80t'],
    [
      'what codex asks at its start',
      '\x1b[?u\x1b[c\x1b[6n\x1b]10;?\x1b\\',
      '\x1b[?0u\x1b[?1;2c\x1b[1;1R\x1b]10;rgb:d0d0/d0d0/d0d0\x1b\\',
    ],
  ])('%s', async (_name, question, answer) => {
    const { screen, answers } = asked();
    ask(screen, question);
    await screen.shot();
    expect(answers()).toBe(answer);
  });

  test('a question is answered though nobody looks at the screen, also when it comes byte by byte', async () => {
    const { screen } = asked();
    const answer = new Promise<string>((resolve) => screen.onReply((bytes) => resolve(Buffer.from(bytes).toString())));
    for (const letter of 'some text \x1b[6n') ask(screen, letter);
    expect(await answer).toBe('\x1b[1;11R');
  });

  test('silent while the driver answers', async () => {
    const { screen, answers } = asked();
    screen.answering = false;
    ask(screen, '\x1b[c');
    await screen.shot();
    screen.answering = true;
    ask(screen, '\x1b[5n');
    await screen.shot();
    expect(answers()).toBe('\x1b[0n');
  });

  test('whether anybody listens to a program’s status is ours to answer, also beside a driver', async () => {
    const { screen, answers } = asked();
    screen.answering = false;
    ask(screen, '\x1b[c\x1b]7501;?\x07');
    await screen.shot();
    expect(answers()).toBe('\x1b]7501;?\x1b\\');
  });

  test('no answer repeats what the agent wrote', async () => {
    const { screen, answers } = asked();
    ask(
      screen,
      '\x1b]0;rm -rf SECRET\x07\x1b[21t\x1b[20t\x1bP$qSECRET\x1b\\\x1bP+q534543524554\x1b\\\x1b]10;SECRET;?\x07\x1b]52;c;?\x07\x05',
    );
    await screen.shot();
    expect(answers()).not.toMatch(/SECRET|534543/);
  });

  test('endless questions get bounded answers, and later ones are answered again', async () => {
    const clock = new HandClock();
    const { screen, answers } = asked(clock);
    ask(screen, '\x1b[c'.repeat(100_000));
    await screen.shot();
    expect(answers().length).toBeLessThanOrEqual(16 * 1024);
    expect(answers().length).toBeGreaterThan(1000);
    const before = answers().length;
    clock.advance(1000);
    ask(screen, '\x1b[5n');
    await screen.shot();
    expect(answers().slice(before)).toBe('\x1b[0n');
  });
});
