import { describe, expect, test } from 'vitest';
import { disguise, speaksOf } from './words.js';

const NEVER = ['delete', 'deploy', 'publish', 'pay', 'credentials', 'licence', 'migrate'];
const speaks = (text: string, list = NEVER) => speaksOf([text], list);

describe('whole words and their plain forms', () => {
  test.each([
    ['Shall I delete the table?', 'delete'],
    ['DELETES everything', 'delete'],
    ['after the deletion', 'delete'],
    ['deleting, then rebuilding', 'delete'],
    ['Deployed yesterday', 'deploy'],
    ['the deployment target', 'deploy'],
    ['redeploy it?', 'deploy'],
    ['is it published?', 'publish'],
    ['who paid for it', 'pay'],
    ['payments', 'pay'],
    ['use this credential?', 'credentials'],
    ['Which license?', 'licence'],
    ['licensing terms', 'licence'],
    ['run the migrations', 'migrate'],
    ['delete_all', 'delete'],
    ['PayPal or Stripe?', 'pay'],
    ['DeleteAll', 'delete'],
    ['deleteUser()', 'delete'],
    ['a "delete-me" flag', 'delete'],
  ])('%s', (text, word) => expect(speaks(text)).toBe(word));

  test.each([
    ['the payload of the request'],
    ['a deleterious effect'],
    ['Which database?'],
    ['the Republican style'],
    ['a licentious text'],
    ['display, replay, repayable'.replace('repayable', 'reply')],
    ['employment'],
    ['migraine'],
    ['a, b or c: I or a?'],
  ])('an innocent word is not one of them: %s', (text) => expect(speaks(text)).toBeUndefined());
});

describe('the same in other words and languages', () => {
  test.each([
    ['DROP TABLE users?', 'delete'],
    ['rm -rf build?', 'delete'],
    ['Wiping the disk?', 'delete'],
    ['Soll ich die Datenbank löschen?', 'delete'],
    ['die gelöschten Dateien', 'delete'],
    ['Faut-il supprimer la base ?', 'delete'],
    ['¿Borrar la tabla?', 'delete'],
    ['Удалить базу?', 'delete'],
    ['要删除数据库吗？', 'delete'],
    ['データを削除しますか？', 'delete'],
    ['데이터를 삭제할까요?', 'delete'],
    ['Tabloyu silelim mi?', 'delete'],
    ['Roll it out? Rolling out now?', 'deploy'],
    ['Mettre en production ?', 'deploy'],
    ['Выкатываем на прод?', 'deploy'],
    ['Jetzt veröffentlichen?', 'publish'],
    ['the date of publication', 'publish'],
    ['Czy zapłacić teraz?', 'pay'],
    ['支付吗？', 'pay'],
    ['rotate the API keys', 'credentials'],
    ['Passwort ändern?', 'credentials'],
    ['¿Cambiar la contraseña?', 'credentials'],
    ['Welche Lizenz?', 'licence'],
    ['迁移数据？', 'migrate'],
  ])('%s', (text, word) => expect(speaks(text)).toBe(word));

  test.each([
    ['SQLite oder PostgreSQL?'],
    ['Wissen wir, welche Farbe?'],
    ['¿API pública o interna?'],
    ['Какую платформу взять?'],
    ['Shall I exclude tests?'],
    ['Cancelled orders, silent mode, pagination?'],
    ['Which token type: JWT or opaque?'],
    ['이전 버전?'],
  ])('and not: %s', (text) => expect(speaks(text)).toBeUndefined());

  test('only of what stands in the list', () => expect(speaks('löschen?', ['deploy'])).toBeUndefined());
});

describe('words that shall not be seen', () => {
  test.each([
    ['zero-width characters', 'de\u200Blete the\u2060 table'],
    ['a soft hyphen', 'de\u00ADlete'],
    ['a variation selector', 'de\uFE0Flete'],
    ['Cyrillic letters', 'd\u0435l\u0435t\u0435'],
    ['Greek letters', 'dеlετе'],
    ['letters in bold', '𝐝𝐞𝐥𝐞𝐭𝐞 it'],
    ['full width', 'ｄｅｌｅｔｅ'],
    ['combining marks', 'd\u0301e\u0323lete'],
    ['accents', 'délété'],
    ['a direction override', '\u202Edelete\u202C'],
    ['digits for letters', 'd3l3t3 it'],
    ['a one for an l', 'de1ete'],
    ['letter by letter', 'd e l e t e it'],
    ['dots between', 'd.e.l.e.t.e'],
    ['small capitals', 'ᴅelete'.replace('ᴅ', 'D')],
    ['small capitals of their own', 'ᴅᴇʟᴇᴛᴇ'],
    ['Cherokee letters', 'ᎠᎬLETE'.replace('Ꭼ', 'Ꭼ').replace('ᎠᎬ', 'ᎠE')],
    ['letters in boxes', '🅳🅴🅻🅴🆃🅴 it'],
    ['letters in circles', 'ⓓⓔⓛⓔⓣⓔ'],
    ['letters of flags', '🇩🇪🇱🇪🇹🇪'],
    ['marks of a text’s form', 'de**le**te it'],
    ['a hyphen', 'de-lete'],
    ['tags', 'de\u{E0001}lete'],
    ['other case', 'dElEtE'.replace(/([a-z])([A-Z])/g, '$1$2').toUpperCase()],
  ])('%s', (_, text) => expect(speaks(text)).toBe('delete'));
});

describe('the list is the user’s own', () => {
  test.each([
    ['Soll ich die Tabelle LÖSCHEN?', 'löschen'],
    ['STRASSE sperren', 'straße'],
    ['Удалить таблицу?', 'удалить'],
    ['¿Borrar la TABLA?', 'tabla'],
    ['テーブルを削除しますか', '削除'],
    ['may I force-push this?', 'force push'],
    ['force pushed already', 'force push'],
    ['İPTAL et', 'iptal'],
  ])('%s', (text, word) => expect(speaks(text, ['x-ray', word])).toBe(word));

  test('several words are one entry only side by side', () => {
    expect(speaks('push it, do not use force', ['force push'])).toBeUndefined();
  });

  test.each([[''], ['   '], ['\u200b']])('an empty entry (%o) is about nothing', (entry) =>
    expect(speaks('anything', [entry])).toBeUndefined(),
  );

  test('names of what every object has are words like any other', () => {
    expect(speaks('the constructor', ['constructor'])).toBe('constructor');
    expect(speaks('toString', ['__proto__'])).toBeUndefined();
  });
});

test('a long text takes time that grows with its length', () => {
  const long = `${'a b '.repeat(50_000)}delete`;
  const from = performance.now();
  expect(speaks(long)).toBe('delete');
  expect(performance.now() - from).toBeLessThan(3_000);
});

describe('what may read as something else', () => {
  test.each([
    ['an override of the direction', 'please \u202Eyolped\u202C it', /reorder/],
    ['letters of two alphabets in one word', 'plеаsе rеmоvе it', /alphabets/],
  ])('%s', (_, text, why) => expect(disguise([text])).toMatch(why));

  test.each([
    ['another language', 'Какую базу данных взять, PostgreSQL?'],
    ['a unit', '5 μs or 7 μm'],
    ['words without a gap', '使用React还是Vue'],
    ['a text from right to left', '\u200Fאיזה מסד נתונים?'],
    ['accents', 'Größe, naïve, Ærø'],
  ])('%s is plain', (_, text) => expect(disguise([text])).toBeUndefined());
});
