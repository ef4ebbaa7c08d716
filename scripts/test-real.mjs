// `npm run test:real`: the lab on the pinned agents, a gate. `--latest`: on the newest of the registry instead, a report:
// it says what passed, agent by agent and file by file, keeps that beside the installed agents, and always ends with 0,
// because the world moves when it likes. Everything else on the command line goes to vitest.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const asked = process.argv.slice(2);
const latest = asked.includes('--latest');
const args = asked.filter((arg) => arg !== '--latest');

function vitest(more, env = {}) {
  const program = join(root, 'node_modules', 'vitest', 'vitest.mjs');
  const all = [program, 'run', '--config', 'vitest.lab.config.ts', ...more, ...args];
  return spawnSync(process.execPath, all, { cwd: root, stdio: 'inherit', env: { ...process.env, ...env } }).status ?? 1;
}

execFileSync(process.execPath, [join(root, 'scripts', 'setup.mjs'), '--build'], { cwd: root, stdio: 'inherit' });
if (!latest) process.exit(vitest([]));

const { cacheDir, versions } = await import('../dist/testing/index.js');
const newest = {};
for (const [agent, { package: name, version }] of Object.entries(versions)) {
  try {
    newest[agent] = execFileSync('npm', ['view', name, 'version', '--loglevel=silent'], {
      encoding: 'utf8',
      timeout: 60_000,
    }).trim();
  } catch {
    console.log(`The registry cannot be reached: the newest ${agent} is not known. The pinned one is ${version}.`);
    process.exit(0);
  }
}
const named = Object.entries(newest)
  .map(([agent, version]) => `${agent} ${version}${version === versions[agent].version ? ' (as pinned)' : ''}`)
  .join(', ');
console.log(`The newest on the registry: ${named}`);
const found = join(tmpdir(), `lab-latest-${process.pid}.json`);
const REINS_LAB_VERSIONS = Object.entries(newest)
  .map(([agent, version]) => `${agent}=${version}`)
  .join(',');
vitest(['--project', 'pinned', '--reporter=default', '--reporter=json', `--outputFile.json=${found}`], {
  REINS_LAB_VERSIONS,
});
if (!existsSync(found)) {
  console.log('The lab ended without a report; what it said above is all there is.');
  process.exit(0);
}
const text = report(JSON.parse(readFileSync(found, 'utf8')));
rmSync(found, { force: true });
const file = join(cacheDir(process.env), 'latest.md');
mkdirSync(dirname(file), { recursive: true });
writeFileSync(file, text);
console.log(`\n${text}\nKept in ${file}`);

/** A test belongs to the agent its name begins with, or that is named first in it. */
function report({ testResults }) {
  const agents = Object.keys(newest);
  const rows = testResults.map(({ name, assertionResults }) => {
    const cells = agents.map((agent) => {
      const own = assertionResults.filter(({ fullName, status }) => {
        const first = agents.map((one) => [fullName.indexOf(one), one]).filter(([at]) => at >= 0);
        return first.sort((a, b) => a[0] - b[0])[0]?.[1] === agent && status !== 'skipped' && status !== 'pending';
      });
      const passed = own.filter(({ status }) => status === 'passed').length;
      return own.length === 0 ? '–' : passed === own.length ? `${passed}` : `**${passed} of ${own.length}**`;
    });
    return `| ${basename(name, '.test.ts')} | ${cells.join(' | ')} |`;
  });
  const failed = testResults.flatMap(({ name, assertionResults }) =>
    assertionResults
      .filter(({ status }) => status === 'failed')
      .map(({ fullName, failureMessages }) => {
        const why = (failureMessages[0] ?? '').split('\n')[0].slice(0, 160);
        return `- ${basename(name, '.test.ts')}: ${fullName.trim()}: ${why}`;
      }),
  );
  return [
    `# The lab on the newest agents, ${new Date().toISOString().slice(0, 10)}`,
    '',
    `| tests that passed | ${agents.map((agent) => `${agent} ${newest[agent]}`).join(' | ')} |`,
    `|---|${agents.map(() => '---').join('|')}|`,
    ...rows.sort(),
    '',
    ...(failed.length === 0 ? ['Nothing failed.'] : failed),
    '',
  ].join('\n');
}
