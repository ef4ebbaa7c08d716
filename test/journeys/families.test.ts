/** Agents that start agents: who is below whom, what a parent may answer, what nobody may, and an end for all of them. */
import { chmodSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { SessionRow } from '../../src/contract/index.js';
import { CLI, reins } from './support/cli.js';
import { entries, entry } from './support/journal.js';
import { ofType } from './support/loop.js';
import { detached, json } from './support/session.js';
import { until } from './support/wait.js';
import { newWorld, type World } from './support/world.js';

/** The user's own words: a repository may not say this untrusted, nor an agent for what it starts. */
const CONFIG = `
cli: {backend: practice}
tools: {defaults: {detached: defer, answers: parent}}
rules: {allow: ["Bash(sh mother.sh)", "Bash(sh child.sh)", "Bash(sh sister.sh)"]}
`;

const ASKS = JSON.stringify([
  { tool: 'Bash', input: { command: 'sh child.sh' } },
  { ask: [{ question: 'Which database?', options: ['PostgreSQL', 'SQLite'] }] },
  { tool: 'Bash', input: { command: 'echo owned > owned.txt' } },
  { ask: [{ question: 'Which colour?', options: ['red', 'blue'] }] },
]);

function script(world: World, name: string, does: string): void {
  world.write(name, `reins() { '${process.execPath}' '${CLI}' "$@"; }\ncd '${world.project}'\n${does}\n`);
  chmodSync(join(world.project, name), 0o755);
}

/** Ten commands and two sessions, one after the other. */
const PATIENCE_MS = 90_000;

const REFUSED = '`answer` takes the right answer';

const text = (world: World, name: string): string => readFileSync(join(world.project, name), 'utf8');

test('a parent answers what its policy lets it, a child and its sister nothing, and all end with the parent', async () => {
  const world = newWorld();
  world.write(join(world.root, 'config', 'reins', 'config.yml'), CONFIG);
  world.write('wait.mjs', WAIT);
  const wait = (what: string) => `'${process.execPath}' wait.mjs '${world.state}' ${what}`;
  const below = (scenario: string, name: string) =>
    `PRACTICE_SCENARIO='${scenario}' reins run -d --once --share-folder --name ${name} go > ${name}.id 2> ${name}.err`;
  // The mother starts a child without her mark, and later its sister; then she answers.
  script(
    world,
    'mother.sh',
    `echo $REINS_SESSION > mother.id
(unset REINS_SESSION; ${below(ASKS, 'child')})
ID=$(${wait('"$(cat child.id)" question')})
${below('[{"tool":"Bash","input":{"command":"sh sister.sh"}}]', 'sister')}
${wait('sister.done')}
${wait('way3.code')}
reins answer $ID PostgreSQL > asked.out 2>&1; echo $? > asked.code
ID=$(${wait('"$(cat child.id)" owned')})
reins answer $ID allow > owned.out 2>&1; echo $? > owned.code
(printf '${CALL}\n' $ID; ${wait('"$(cat child.id)" colour')} > colour.id; :) | reins mcp --may answer > denied.out 2>&1
reins answer $ID deny > again.out 2>&1; echo $? > mother.done
sleep 60`,
  );
  // The child has an own inquiry in mind, in the mother's name too, from wherever it can get to.
  const ways = [
    'reins answer $ID SQLite',
    'REINS_SESSION=$MOTHER reins answer $ID SQLite',
    'env -u REINS_SESSION setsid -w env REINS_SESSION=$MOTHER sh own.sh $ID',
  ];
  script(world, 'own.sh', 'exec reins answer $1 SQLite'.replace('exec ', ''));
  script(
    world,
    'child.sh',
    `MOTHER=$(cat mother.id)
( ID=$(${wait('$REINS_SESSION question')})
${ways.map((way, at) => `( ${way} ) > way${at}.out 2>&1; echo $? > way${at}.code`).join('\n')}
( env REINS_SESSION=$MOTHER setsid sh own2.sh $ID & ) ) > /dev/null 2>&1 &`,
  );
  script(world, 'own2.sh', `reins answer $1 SQLite > way3.out 2>&1; echo $? > way3.code`);
  script(
    world,
    'sister.sh',
    `ID=$(${wait('"$(cat child.id)" question')}); reins answer $ID SQLite > sister.out 2>&1; echo $? > sister.done`,
  );

  const mother = await detached(world, ['run', '--once', 'go'], {
    env: { PRACTICE_SCENARIO: '[{"tool":"Bash","input":{"command":"sh mother.sh"}}]' },
  });
  await until(
    'her answers',
    () => existsSync(join(world.project, 'mother.done')),
    () => JSON.stringify(entries(world, mother).slice(-3)),
    PATIENCE_MS,
  );
  const [child, sister] = [text(world, 'child.id').trim(), text(world, 'sister.id').trim()];

  // The family, also for one that was started without the mark.
  const rows = await json<SessionRow[]>(world, ['ls', '--all']);
  const parentOf = (id: string) => rows.find((row) => row.id === id)?.parent;
  expect([parentOf(mother), parentOf(child), parentOf(sister)]).toEqual([undefined, mother, mother]);
  expect((await reins(world, ['ls'])).stdout).toMatch(/\n\S+ +└ child/);
  expect((await entry(world, 'session.started', { session: child })).data.parent).toBe(mother);

  const digest = await json<{ sessions: { session: string; parent?: string }[] }>(world, ['digest', '--since', '1h']);
  expect(digest.sessions.find(({ session }) => session === child)?.parent).toBe(mother);
  expect((await reins(world, ['logs', child, '--summary'])).stdout).toContain(`${mother}, whose agent started it`);
  expect((await reins(world, ['logs', mother, '--summary'])).stdout).toMatch(new RegExp(`started .*${child}`));

  // What she may, on record as hers; and what she would have had to ask about herself.
  expect([text(world, 'asked.code'), text(world, 'asked.out')]).toEqual(['0\n', expect.any(String)]);
  expect([text(world, 'owned.code'), text(world, 'owned.out')]).toEqual(['1\n', expect.stringContaining('itself')]);
  // The same by a tool, and then it is too late for another.
  expect([text(world, 'denied.out'), text(world, 'mother.done')]).toEqual([expect.stringContaining('deny'), '31\n']);
  const answers = ofType(entries(world, child), 'inquiry.answered').map(({ data: { answer } }) => answer);
  expect(answers.filter(({ by }) => by.kind !== 'rule')).toMatchObject([
    { verdict: { values: { question: ['1'] } }, by: { kind: 'parent', session: mother } },
    { verdict: { kind: 'deny' }, by: { kind: 'parent', session: mother } },
  ]);
  // What nobody may.
  for (const at of [0, 1, 2, 3])
    expect([text(world, `way${at}.code`), text(world, `way${at}.out`)], `way ${at}`).toEqual([
      '1\n',
      expect.stringContaining(REFUSED),
    ]);
  expect([text(world, 'sister.done'), text(world, 'sister.out')]).toEqual(['1\n', expect.stringContaining(REFUSED)]);
  expect(existsSync(join(world.project, 'owned.txt'))).toBe(false);

  // A stop of hers leaves nobody behind, and nothing that waits.
  await entry(world, 'inquiry.opened', { session: child, is: ({ data }) => JSON.stringify(data).includes('colour') });
  const stopped = await json<{ left: number; processes: { pid: number }[] }>(world, ['stop', mother]);
  expect(stopped.left).toBe(0);
  const host = rows.find(({ id }) => id === child)!.pid!;
  expect(stopped.processes.map(({ pid }) => pid)).toContain(host);
  await world.empty();
  expect(ofType(entries(world, child), 'session.ended')).toHaveLength(1);
  expect(await json(world, ['inbox'])).toEqual([]);
});

const CALL = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name: 'inquiry_answer', arguments: { inquiry: '%s', words: ['deny'] } },
});

/** `wait.mjs STATE SESSION WORD` prints the inquiry of the session that has this word; `wait.mjs STATE FILE` waits for a file. */
const WAIT = `import { existsSync, readFileSync } from 'node:fs';
const [, , state, session, word] = process.argv;
const look = setInterval(() => {
  if (word === undefined) { if (existsSync(session)) clearInterval(look); return; }
  let text = '';
  try { text = readFileSync(state + '/reins/sessions/' + session + '/journal.jsonl', 'utf8'); } catch { return; }
  const line = text.split('\\n').find((one) => one.includes('"inquiry.opened"') && one.includes(word));
  const found = /"id":"([a-z0-9]+\\.\\d+)"/.exec(line ?? '');
  if (found) { clearInterval(look); console.log(found[1]); }
}, 20);
setTimeout(() => process.exit(1), 60000).unref();
`;
