/** `reins mcp` through the official client. */
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { onTestFinished } from 'vitest';
import { userConfigFile } from '../../../src/config/index.js';
import { CLI } from './cli.js';
import { newWorld, type World } from './world.js';

/** Inquiries wait for a person; the login shell, from which agents get their environment, is this world's. */
export function mcpWorld(settings = ''): World {
  const world = newWorld();
  world.write(userConfigFile(world.env), `tools:\n  defaults:\n    detached: defer\n${settings}`);
  const exports = Object.entries(world.env).map(([name, value]) => `export ${name}='${value}'\n`);
  for (const file of ['.bash_profile', '.profile', '.zprofile']) {
    world.write(join(world.root, 'home', file), exports.join(''));
  }
  return world;
}

export async function client(world: World, args: string[] = [], env: World['env'] = world.env): Promise<Client> {
  const made = new Client({ name: 'orchestra', version: '1' });
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [CLI, 'mcp', ...args],
    env: env as Record<string, string>,
    cwd: world.project,
    stderr: 'ignore',
  });
  await made.connect(transport);
  onTestFinished(() => made.close());
  return made;
}

export interface Result {
  isError?: boolean;
  content: { text: string }[];
  // biome-ignore lint/suspicious/noExplicitAny: what comes back is checked by the expectations
  structuredContent?: any;
}

export const call = async (mcp: Client, name: string, args: Record<string, unknown> = {}): Promise<Result> =>
  (await mcp.callTool({ name, arguments: args })) as unknown as Result;
