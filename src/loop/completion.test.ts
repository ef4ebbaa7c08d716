import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { judgeText, NOT_CLAIMED, PromiseWatch } from './completion.js';

const P = 'LOOP_COMPLETE';

describe('the promise in assistant text', () => {
  test.each([
    ['alone', P],
    ['as the last line', `All done.\n\n${P}\n\n  \n`],
    ['with spaces around it', `done\n  ${P}\t`],
    ['bold', `done\n**${P}**`],
    ['in backticks', `done\n\`${P}\``],
    ['bold in backticks', `done\n**\`${P}\`**\n`],
    ['after a closed fence', `\`\`\`\ncode\n\`\`\`\n${P}`],
    ['with windows line ends', `done\r\n${P}\r\n`],
    ['said earlier and again at the end', `I will say ${P}\nlater\n${P}`],
  ])('counts %s, also by the strict rule', (_, text) => {
    expect(judgeText(text, P)).toEqual({ claimed: true, reason: 'claimed in the last line' });
    expect(judgeText(text, P, true).claimed).toBe(true);
  });

  test.each([
    ...[`${P}.`, `${P}!`, `${P}!!`, `**${P}.**`, `**${P}**.`, `*${P}*`, `_${P}_`, `\`${P}\`.`],
    ...[`✅ ${P}`, `✅${P}`, `✔️ ${P}`, `☑ **${P}**`, `**✅ ${P}**`, `${P} ✅`, `🎉 ${P}!`, `✅ ${P} 🏁`],
    ...[
      `<promise>${P}</promise>`,
      `<promise> ${P} </promise>`,
      `**<promise>${P}</promise>**`,
      `✅ <promise>${P}</promise>.`,
    ],
  ])('counts %s, but not by the strict rule', (line) => {
    expect(judgeText(`All done.\n${line}\n`, P).claimed).toBe(true);
    expect(judgeText(`All done.\n${line}\n`, P, true).claimed).toBe(false);
    // Only as the last line, and not in code.
    expect(judgeText(`${line}\nbut wait`, P).claimed).toBe(false);
    expect(judgeText(`\`\`\`\n${line}\n\`\`\``, P).claimed).toBe(false);
  });

  test.each([
    ...[`not ${P}`, `${P} is not reached`, `${P}?`, `${P}?!`, `${P}..`, `${P}...`, `${P}…`, `…${P}`, `${P}:`, `${P} –`],
    ...[
      `❌ ${P}`,
      `✅ ❌ ${P}`,
      `⏳ ${P}`,
      `⚠️ ${P}`,
      `🚫 ${P}`,
      `✅ not ${P}`,
      `~~${P}~~`,
      `- ${P}`,
      `> ${P}`,
      `# ${P}`,
    ],
    ...[`“${P}”`, `'${P}'`, `(${P})`, `[ ] ${P}`, `[${P}]`, `<!-- ${P} -->`, `<promise>${P}`, `${P}</promise>`],
    ...[`<promise>not ${P}</promise>`, `<promise>${P}</promise>?`, `<code>${P}</code>`, `**${P}** or **${P}**`],
    ...[
      `${P}, I think.`,
      `${P} ${P}`,
      `X${P}.`,
      `Status: ${P}`,
      `✅ ${P}${' '.repeat(200)}x`,
      `${'*'.repeat(500)}${P}`,
    ],
  ])('does not count %s', (line) => {
    expect(judgeText(`words\n${line}\n`, P).claimed).toBe(false);
  });

  test('whatever stands around it, a word or a doubt beside it is not a claim', () => {
    const around = fc.array(
      fc.constantFrom('**', '`', '✅ ', ' ✅', '.', '!', '<promise>', '</promise>', ' ', '_', '*'),
    );
    const doubt = fc.constantFrom('not', 'no', '?', '"', '❌', '…', '-', '>', 'never', '0%', '~~', '¬', '//', 'TODO');
    fc.assert(
      fc.property(around, around, doubt, fc.boolean(), (left, right, word, before) => {
        const line = [...left, before ? word : '', P, before ? '' : word, ...right].join('');
        expect(judgeText(line, P).claimed).toBe(false);
      }),
    );
  });

  test('a promise with marks of its own is compared as it is', () => {
    expect(judgeText('done.', 'done.').claimed).toBe(true);
    expect(judgeText('done', 'done.').claimed).toBe(false);
    expect(judgeText('**<promise>✅</promise>**', '✅').claimed).toBe(true);
    expect(judgeText('_x_', '_x_').claimed).toBe(true);
  });

  test.each([
    ['nowhere', 'still at work', NOT_CLAIMED],
    ['in an empty text', '', NOT_CLAIMED],
    ['in the middle', `${P}\nbut wait`, 'seen in the middle of the text, not the last line: not counted'],
    ['with other words', `I will not say ${P} yet`, 'seen in the last line together with other words: not counted'],
    ['in quotes', `"${P}"`, 'seen in the last line together with other words: not counted'],
    ['in a fence', `\`\`\`\n${P}\n\`\`\``, 'inside a code fence: not counted'],
    ['in a fence left open', `\`\`\`\n${P}`, 'inside a code fence: not counted'],
    ['in other letters', 'loop_complete', NOT_CLAIMED],
    ['as part of a longer word', `${P}D`, 'seen in the last line together with other words: not counted'],
  ])('does not count %s, and says why', (_, text, reason) => {
    expect(judgeText(text, P)).toEqual({ claimed: false, reason });
  });

  test('an empty promise is never kept', () => {
    expect(judgeText('', '').claimed).toBe(false);
    expect(judgeText('x', ' ').claimed).toBe(false);
  });

  test('how the text is cut changes nothing', () => {
    const pieces = fc.constantFrom(P, '\n', '```\n', '**', '`', 'words', ' ');
    fc.assert(
      fc.property(fc.array(fc.array(pieces, { maxLength: 4 }), { maxLength: 10 }), (chunks) => {
        const watch = new PromiseWatch({ promise: P, strict: false });
        for (const chunk of chunks) {
          for (const char of chunk.join('')) watch.feed(char);
          watch.verdict();
        }
        expect(watch.verdict()).toEqual(judgeText(chunks.flat().join(''), P));
      }),
    );
  });
});
