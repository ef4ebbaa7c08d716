/** What a session's loop works with: the config's words about it, and who works on what. */
import { readFileSync } from 'node:fs';
import { type LoopSettings, loopSettingsFrom } from '../../loop/index.js';
import type { SessionSpec } from '../spec.js';

export function loopSettingsOf(spec: SessionSpec): LoopSettings {
  return {
    ...loopSettingsFrom(spec.config),
    prompt: spec.prompt_file ? readFileSync(spec.prompt_file, 'utf8') : '',
    backend: spec.agent!.adapter,
    once: spec.once,
  };
}
