import { describe, expect, it } from 'vitest';
import { findLookAlike } from './look-alikes.js';

describe('findLookAlike', () => {
  it.each([
    'Aisyah binti Abdul Rahman',
    "Siti Nur'aini A/P O'Brien-Lim",
    'Zoë Müller & Söhne (M) Sdn. Bhd. 1990',
    'Nguyễn Văn Ánh',
    'Nguyễn Văn Ánh'.normalize('NFD'),
    '陈美玲',
    '中国银行（马来西亚）有限公司 Bank of China',
    '株式会社サンリオABC',
    '7-Eleven台灣ㄅ',
    '김철수 주식회사',
    'முத்துசாமி கிருஷ்ணன்',
    'शर्मा एंड संस',
    'محمد عبد الله',
    'Иван Петров',
    'Αθήνα ΑΕ',
    'ООО Ромашка',
    'สมชาย',
    'aisyah.rahman+erp@kedai-contoh.example',
    '李@例子.公司',
    'Acme™ № 5 ½ – “Best”',
    'CO₂ ①号 m² Işık',
    '史蒂芬．金，（马）',
    'แก้วที่',
    'וְהָיָ֗ה',
  ])('accepts %s', (name) => {
    expect(findLookAlike(name)).toBeNull();
  });

  it.each([
    ['a zero-width space', 'Ked\u200Bai', 'U+200B'],
    ['a zero-width joiner', 'Ked\u200Dai', 'U+200D'],
    ['a soft hyphen', 'Ked\u00ADai', 'U+00AD'],
    ['a byte order mark', '\uFEFFKedai', 'U+FEFF'],
    ['an override of the direction', 'Kedai \u202EdhB', 'U+202E'],
    ['an isolate', '\u2066Kedai', 'U+2066'],
    ['a Hangul filler', 'Kedai\u3164', 'U+3164'],
    ['a blank of Braille', '\u2800Kedai', 'U+2800'],
    ['a private character', 'Kedai \uE000', 'U+E000'],
    ['a tag', 'Kedai\u{E0041}', 'U+E0041'],
    ['an unassigned character', 'Kedai\u0378', 'U+0378'],
    ['full-width letters', 'Ｋedai', 'U+FF2B'],
    ['mathematical letters', '𝐊edai', 'U+1D40A'],
    ['a full-width digit', 'Kedai １', 'U+FF11'],
    ['a full stop that is a leader', 'kedai․example', 'U+2024'],
    ['a full-width at sign', 'aisyah＠kedai.example', 'U+FF20'],
    ['a letter in a circle', 'Ⓚedai', 'U+24C0'],
    ['a ligature', 'oﬃce', 'U+FB03'],
    ['a Roman numeral', 'ⅤISA', 'U+2164'],
    ['a placeholder of an object', 'Kedai\uFFFC', 'U+FFFC'],
    ['marks that cover the lines around them', `Kedai${'\u0301'.repeat(5)}`, 'U+0301'],
    ['a Cyrillic letter in a Latin word', 'Kеdai', 'another alphabet'],
    ['a Greek letter in a Latin word', 'Kedαi', 'another alphabet'],
    ['a Cyrillic word that looks Latin', 'АСЕ Sdn Bhd', 'another alphabet'],
    ['a Greek word that looks Latin', 'ΜΑΧΙ', 'another alphabet'],
    ['an address of Cyrillic letters that look Latin', 'user@сосо.example', 'another alphabet'],
    ['a script that nobody writes', 'ᚠᚢᚦ', 'another alphabet'],
  ])('detects %s', (_, name, said) => {
    expect(findLookAlike(name)).toContain(said);
  });
});
