/** Every agent Reins knows: a new one is one file and one line here. */
import type { Adapter } from './adapter.js';
import { amp } from './amp.js';
import { claude } from './claude.js';
import { codex } from './codex.js';
import { custom } from './custom.js';
import { gemini } from './gemini.js';
import { kiro } from './kiro.js';
import { broughtAdapter } from './module.js';
import { practice } from './practice.js';

export const adapters: readonly Adapter[] = [claude, kiro, gemini, codex, amp, custom, practice];

/** Also one of the user's own, once it was imported. */
export function adapterNamed(id: string): Adapter | undefined {
  return adapters.find((adapter) => adapter.id === id) ?? broughtAdapter(id);
}
