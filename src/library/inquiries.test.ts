import { describe, expect, it } from 'vitest';
import { type Inquiry, ReinsError } from '../contract/index.js';
import { type GivenAnswer, Inquiries } from './inquiries.js';

const question = (id: string, more: Partial<Inquiry> = {}): Inquiry =>
  ({ id, session: 's', kind: 'question', exclusive: false, opened_at: '', ...more }) as unknown as Inquiry;

function desk(refuse?: Error) {
  const answers: [string, GivenAnswer][] = [];
  const presence: boolean[] = [];
  const inquiries = new Inquiries({
    answer: async (id, given) => {
      if (refuse) throw refuse;
      answers.push([id, given]);
    },
    present: (is) => presence.push(is),
  });
  return { answers, presence, inquiries };
}

const turns = async (count = 5) => {
  for (let turn = 0; turn < count; turn += 1) await Promise.resolve();
};

describe('answers by a program', () => {
  it('gives what is open and what opens to the handler, and its words to the desk', async () => {
    const { inquiries, answers, presence } = desk();
    inquiries.opened(question('a'));
    inquiries.on((inquiry) => (inquiry.id === 'a' ? 'allow' : { words: ['red'], reason: 'as before' }));
    inquiries.opened(question('b'));
    await turns(10);
    expect(answers).toEqual([
      ['a', { words: 'allow' }],
      ['b', { words: ['red'], reason: 'as before' }],
    ]);
    expect(presence).toEqual([true]);
  });

  it('stands down for what the handler has nothing to say to, until that is settled', async () => {
    const { inquiries, answers, presence } = desk();
    inquiries.on(() => undefined);
    inquiries.opened(question('a'));
    await turns(10);
    expect([answers, presence]).toEqual([[], [true, false]]);
    inquiries.closed('a');
    expect(presence).toEqual([true, false, true]);
  });

  it('has all the time there is where it says so', async () => {
    const { inquiries, answers } = desk();
    const later = () => new Promise<string>((next) => setTimeout(next, 20, 'allow'));
    inquiries.on(later, { budgetMs: Infinity });
    inquiries.opened(question('a'));
    await expect.poll(() => answers).toEqual([['a', { words: 'allow' }]]);
  });

  it('is no person unless it says so', async () => {
    const { inquiries, presence } = desk();
    const asked: string[] = [];
    const off = inquiries.on(({ id }) => void asked.push(id));
    inquiries.opened(question('a', { exclusive: true }));
    await turns();
    expect([asked, presence]).toEqual([[], [true, false]]);
    off();
    inquiries.on(({ id }) => void asked.push(id), { person: true });
    expect(asked).toEqual(['a']);
  });

  it('takes no answer after its time, and tells the handler', async () => {
    const { inquiries, answers, presence } = desk();
    let signal: AbortSignal | undefined;
    let late: (words: string) => void = () => undefined;
    inquiries.on(
      (_inquiry, about) => {
        signal = about.signal;
        return new Promise<string>((resolve) => (late = resolve));
      },
      { budgetMs: 1 },
    );
    inquiries.opened(question('a'));
    await new Promise<void>((resolve) => signal!.addEventListener('abort', () => resolve()));
    late('allow');
    await turns(10);
    expect([answers, presence]).toEqual([[], [true, false]]);
  });

  it('tells a handler whose inquiry was settled elsewhere', async () => {
    const { inquiries, answers } = desk();
    let aborted = false;
    inquiries.on(
      (_inquiry, { signal }) =>
        new Promise<string>((resolve) =>
          signal.addEventListener('abort', () => {
            aborted = true;
            resolve('allow');
          }),
        ),
    );
    inquiries.opened(question('a'));
    inquiries.closed('a');
    await turns(10);
    expect([aborted, answers]).toEqual([true, []]);
  });

  it('keeps silent about who was first, and tells what the handler threw', async () => {
    const failures: unknown[] = [];
    const failed = (error: unknown) => void failures.push((error as Error).message);
    const second = desk(new ReinsError('ANSWERED_ALREADY', { inquiry: 'a', by: 'x' }));
    second.inquiries.on(() => 'allow', { failed });
    second.inquiries.opened(question('a'));
    const broken = desk();
    broken.inquiries.on(() => Promise.reject(new Error('no model')), { failed });
    broken.inquiries.opened(question('a'));
    await turns(10);
    expect(failures).toEqual(['no model']);
    expect(broken.presence).toEqual([true, false]);
  });

  it('goes on with the new handler when one takes another’s place', async () => {
    const { inquiries, presence, answers } = desk();
    const off = inquiries.on(() => new Promise(() => undefined));
    inquiries.opened(question('a'));
    off();
    let say: (words: string) => void = () => undefined;
    let signal: AbortSignal | undefined;
    inquiries.on((_inquiry, about) => {
      signal = about.signal;
      return new Promise<string>((resolve) => (say = resolve));
    });
    await turns(10);
    expect(presence.at(-1)).toBe(true);
    say('allow');
    await turns(10);
    expect([answers, signal!.aborted]).toEqual([[['a', { words: 'allow' }]], false]);
  });

  it('has one handler at a time', () => {
    const { inquiries } = desk();
    const off = inquiries.on(() => undefined);
    expect(() => inquiries.on(() => undefined)).toThrow('already');
    off();
    inquiries.on(() => undefined);
  });
});
