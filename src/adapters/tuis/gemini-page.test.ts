import { describe, expect, it } from 'vitest';
import { geminiDialog } from './gemini-dialogs.js';
import { Windows } from './windows.js';

const read = (...lines: string[]) => geminiDialog(lines, 'asking-permission', new Windows());
const ASKED = ['Answer Questions', '', 'Which parts?', '(Select all that apply)', ''];
const BOTTOM = ['▼', '', 'Enter to select · ↑/↓ to navigate · Esc to cancel'];
const first = read(...ASKED, '▲', '● 1. [ ] Doors', '  2. [ ] Walls', '  3. [ ] Roof', ...BOTTOM);

describe('a question of gemini while its list is moved', () => {
  it('stays the same page: at the end of the list, and with the pointer on Done', () => {
    expect(first).toMatchObject({ kind: 'question', page: expect.any(String) });
    const done = ['  4. [ ] All of the above', '  5. [ ] Enter a custom value', '●  Done', '   Finish selection'];
    expect(read(...ASKED, '▲', ...done, ...BOTTOM)).toMatchObject({ kind: 'other', page: first?.page });
  });

  it('another question, and what asks nothing, is another page', () => {
    const other = [...ASKED].with(2, 'Erase what?');
    expect(read(...other, '▲', '●  Done', ...BOTTOM)?.page).not.toBe(first?.page);
    expect(read('Something else', '', '▲', '●  Done', ...BOTTOM)?.page).toBeUndefined();
  });
});
