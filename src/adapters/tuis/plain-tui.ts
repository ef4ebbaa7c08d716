/**
 * A terminal program nothing is known about (`custom`, amp, kiro): its screen is shown and kept, and never read for
 * signs. A guess here would press Enter into someone's dialog.
 */
import type { HookFace, Tui } from '../adapter.js';
import { ESC } from './screen-text.js';

export function plainTui(settings: { interruptKeys?: string; hook?: HookFace } = {}): Tui {
  return {
    blind: true,
    read: () => ({}),
    submit: { pasteSettleMs: 200, slash: 'typed', defuse: ['!', '/'] },
    interruptKeys: settings.interruptKeys ?? ESC,
    ...(settings.hook === undefined ? {} : { hook: settings.hook }),
  };
}
