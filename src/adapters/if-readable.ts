/** Instructions an agent would have read: what cannot be read is not given, for an instruction less opens nothing. */
import type { LaunchAsk } from './adapter.js';

export function namesIn(look: LaunchAsk['look'], folder: string): string[] {
  try {
    return look.names(folder);
  } catch {
    return [];
  }
}

export function textIn(look: LaunchAsk['look'], file: string): string | undefined {
  try {
    return look.text(file);
  } catch {
    return undefined;
  }
}
