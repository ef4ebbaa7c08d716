/**
 * Settings an administrator put above everything. One of them keeps our hook from being called at all, and no flag of ours
 * says so: then there is no gate. What is there and cannot be read counts as that one.
 */
import { join } from 'node:path';
import type { LaunchAsk } from './adapter.js';
import { parsed } from './claude-folder.js';

const SYSTEM = ['/etc/claude-code', '/Library/Application Support/ClaudeCode'];

/** Why our hook would not be called, or undefined. */
export function managedTrouble({ look }: Pick<LaunchAsk, 'look'>, configDir: string): string | undefined {
  for (const file of filesIn(look, configDir)) {
    const content = textOf(look, file);
    if (content === undefined) continue;
    const settings = content === null ? undefined : parsed(content);
    if (!settings) return `${file} cannot be read, and may keep our hook from being called`;
    for (const key of ['allowManagedHooksOnly', 'disableAllHooks'])
      if (settings[key] !== undefined && settings[key] !== false) return `${file} says ${key}: our hook is not called`;
  }
  return undefined;
}

function filesIn(look: LaunchAsk['look'], configDir: string): string[] {
  const system = SYSTEM.flatMap((dir) => {
    const extra = namesIn(look, join(dir, 'managed-settings.d')).filter((name) => name.endsWith('.json'));
    return [join(dir, 'managed-settings.json'), ...extra.map((name) => join(dir, 'managed-settings.d', name))];
  });
  // What the organisation's server said last.
  return [...system, join(configDir, 'remote-settings.json')];
}

function namesIn(look: LaunchAsk['look'], folder: string): string[] {
  try {
    return look.names(folder);
  } catch {
    return ['.json']; // it is there and cannot be looked into: a file that cannot be read
  }
}

/** Null: it is there and cannot be read. */
function textOf(look: LaunchAsk['look'], file: string): string | undefined | null {
  try {
    return look.text(file) ?? (file.endsWith('/.json') ? null : undefined);
  } catch {
    return null;
  }
}
