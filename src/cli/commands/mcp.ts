/** `reins mcp`: the sessions of this machine as tools for another agent. stdout is the protocol's, all words go to stderr. */
import { randomBytes } from 'node:crypto';
import { ReinsError } from '../../contract/index.js';
import { createServer, readRights, serveHttp, serveLines } from '../../mcp/index.js';
import { refuseConsulted } from '../../sessions/inside.js';
import type { Context } from '../context.js';

const KEY_NAME = 'REINS_MCP_KEY';
const SHORTEST_KEY = 16;

export async function mcp(context: Context, flags: { may: string; http?: boolean; port?: string }): Promise<number> {
  refuseConsulted(context);
  const asked = readRights(flags.may);
  if (asked.answers && flags.http)
    throw usage(
      'over HTTP nobody can be told from an agent that asks: it answers nothing',
      'leave out answer, or --http',
    );
  const { env, cwd, version } = context;
  const server = createServer({ where: { env, cwd, version }, rights: asked });
  if (!flags.http) {
    await serveLines(server, process.stdin, process.stdout);
    return 0;
  }
  const given = env[KEY_NAME];
  if (given !== undefined && given.length < SHORTEST_KEY)
    throw usage(`${KEY_NAME} is too short`, `at least ${SHORTEST_KEY} characters, or unset it for one of ours`);
  const key = given ?? randomBytes(32).toString('base64url');
  const port = Number(flags.port ?? 0);
  if (!Number.isInteger(port) || port < 0 || port > 65_535) throw usage(`--port ${flags.port} is no port`, 'like 7474');
  const http = await serveHttp({ server, key, port });
  context.channels.complain(`Serving ${http.url}${given === undefined ? ` with the key ${key} (shown once)` : ''}`);
  await new Promise<void>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => resolve());
  });
  await http.close();
  return 0;
}

const usage = (problem: string, fix: string): ReinsError => new ReinsError('USAGE', { problem, fix });
