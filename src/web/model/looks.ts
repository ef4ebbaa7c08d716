/** How the page looks on this device: theme and size of text, kept here and nowhere else. Read before the first paint. */
import { effect, signal } from '@preact/signals';

export type Theme = 'system' | 'dark' | 'light';
export type TextSize = 'small' | 'usual' | 'large' | 'huge';

const read = <T extends string>(key: string, all: readonly T[], usual: T): T => {
  try {
    const found = localStorage.getItem(key) as T | null;
    return found !== null && all.includes(found) ? found : usual;
  } catch {
    return usual; // a browser that keeps nothing
  }
};

export const theme = signal<Theme>(read('theme', ['system', 'dark', 'light'], 'system'));
export const textSize = signal<TextSize>(read('text', ['small', 'usual', 'large', 'huge'], 'usual'));

const keepHere = (key: string, value: string, usual: string): void => {
  try {
    if (value === usual) localStorage.removeItem(key);
    else localStorage.setItem(key, value);
  } catch {
    // It lasts as long as the page, then.
  }
};

export function wearLooks(): void {
  const root = document.documentElement;
  effect(() => {
    keepHere('theme', theme.value, 'system');
    if (theme.value === 'system') delete root.dataset.theme;
    else root.dataset.theme = theme.value;
  });
  effect(() => {
    keepHere('text', textSize.value, 'usual');
    if (textSize.value === 'usual') delete root.dataset.text;
    else root.dataset.text = textSize.value;
  });
}
