/**
 * Cards of real agents, answered as a page does: allow for the session (and a rule of the config that still says no),
 * questions of every kind, words instead of an answer. One run of each agent, one card after the other.
 */
import { describe, expect, it, onTestFinished } from 'vitest';
import { TestHub } from '../journeys/support/hub.js';
import { all, entry } from '../journeys/support/journal.js';
import { detached } from '../journeys/support/session.js';
import { until } from '../journeys/support/wait.js';
import { AGENTS, detachedMode, openLab, told } from './support.js';

const SCENARIO = `turns:
  - {bash: git add one}
  - {bash: git add two}
  - {bash: git add evil}
  - ask:
      - {question: "Which colour?", header: Colour, options: [Crimson, Azure]}
      - {question: "Which parts?", header: Parts, options: [Doors, Walls, Roof], multi: true}
      - {question: "Which name?", header: Name, options: [Ada, Bob]}
  - ask: [{question: "Which store?", header: Store, options: [Disk, Memory]}]
  - {text: "I was told: {{result}}"}`;

// Gemini has no questions at this door.
describe.each(AGENTS.filter((agent) => agent !== 'gemini'))('%s, its cards', (agent) => {
  it('W17 W18 W20: a grant for the session, a deny rule that still wins, every kind of question, words instead of an answer', async () => {
    const lab = await openLab(agent, SCENARIO);
    const { world } = lab;
    const hub = await TestHub.start(world);
    onTestFinished(() => hub.close());
    const phone = await hub.device('answer');
    const rules = ['--set', 'rules.deny=["Bash(git add evil)"]', ...detachedMode('defer')];
    const id = await detached(world, ['run', '-b', agent, '--once', ...rules, 'go']);
    const answered = () => all(world, 'inquiry.answered');
    const waiting = (fits: (text: string) => boolean) =>
      until('a card', async () => (await phone.ask('inbox')).find(({ inquiry }) => fits(JSON.stringify(inquiry))));

    // W17: what is offered names its rule; the like is not asked again, and what the config denies is denied all the same.
    const first = await waiting((text) => text.includes('git add one'));
    expect(first.offer).toEqual(['Bash(git add:*)']);
    await phone.ask('answer', {
      id: first.inquiry.id,
      args: { digest: first.digest, words: ['allow'], scope: 'session' },
    });

    // W18: the next card is the questions: two calls were settled without anybody.
    const asked = await waiting((text) => text.includes('Which colour?'));
    expect((await answered()).map(({ data }) => [data.answer.by.kind, data.answer.verdict.kind])).toEqual([
      ['viewer', 'allow'],
      ['grant', 'allow'],
      ['rule', 'deny'],
    ]);
    const questions = asked.inquiry.questions!;
    const isMulti = agent === 'claude';
    expect(questions.map(({ multi }) => multi)).toEqual([false, isMulti, false]);
    const [colour, parts, name] = questions.map((one) => one.id);
    const say = (words: string[]) =>
      phone.request('answer', { id: asked.inquiry.id, args: { digest: asked.digest, words } });
    const rest = [...(isMulti ? [`${parts}=Doors`] : []), `${parts}=Roof`, `${name}=Grace`];
    const twice = await say([`${colour}=Azure`, `${colour}=Crimson`, ...rest]);
    expect([twice.status, ((await twice.json()) as { error: { code: string } }).error.code]).toEqual([
      422,
      'ANSWER_INVALID',
    ]);
    expect((await say([`${colour}=Azure`, ...rest])).status).toBe(200);

    // W20: no answer but words: the question is over, and the model reads them once.
    const store = await waiting((text) => text.includes('Which store?'));
    const words = { digest: store.digest, words: ['deny'], reason: 'use what is there' };
    await phone.ask('answer', { id: store.inquiry.id, args: words });
    await entry(world, 'session.ended', { session: id });
    for (const word of ['Azure', 'Roof', 'Grace']) expect(told(lab)).toContain(word);
    if (isMulti) expect(told(lab)).toContain('Doors, Roof');
    expect(told(lab)).not.toContain('Crimson');
    expect(lab.server.main.at(-1)?.result.split('use what is there')).toHaveLength(2);
    const last = (await answered()).at(-1)!.data.answer;
    expect(last).toMatchObject({ verdict: { kind: 'deny' }, by: { kind: 'viewer' } });
  });
});
