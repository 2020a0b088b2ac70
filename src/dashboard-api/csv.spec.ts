import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { createCsvFile, formatCsvLine, createInstantColumn } from './csv.js';
import { type Page, type PageRequest, toPage } from './cursor.js';

describe('formatCsvLine', () => {
  it('quotes only the fields required by RFC 4180', () => {
    expect(formatCsvLine(['plain', 'with, comma', 'with "quotes"', 'two\nlines', null, 12.5, true])).toBe(
      'plain,"with, comma","with ""quotes""","two\nlines",,12.5,true\r\n',
    );
  });

  const SIGNS = '=+-@＝＋－＠﹦﹢﹣﹫⁼⁺⁻₌₊₋−﬩'.split('');
  const BLANKS = ['', ' ', '\t', '\r', '\n', '\r\n', '\u0000', '\u00A0', '\u3000'];
  const UNSEEN = ['\u200B', '\u200D\u2060', '\uFEFF', '\u00AD', '\u202E', '\u2066', '\u180E', '\u034F', '\u115F'];
  const UNSEEN_LETTERS = ['\u3164', '\uFFA0', '\uFE0F', '\u{E0020}'];

  it.each([...BLANKS, ...UNSEEN, ...UNSEEN_LETTERS])('escapes formulas with any sign after %j', (before) => {
    for (const sign of SIGNS) {
      expect(formatCsvLine([`${before}${sign}HYPERLINK("http://x","y")`]), sign).toMatch(/^"'/);
      expect(formatCsvLine([`${before}${sign}1+1`]), sign).toMatch(/^"?'/);
    }
  });

  it('keeps signs in other positions', () => {
    const texts = ['a=1', 'Kedai＠Pasar', '六福-茶室', 'é', '\u200Bname', '100%', '(-5)', '😀=1'];
    expect(formatCsvLine(texts)).toBe(`${texts.join(',')}\r\n`);
  });

  it('quotes fields with other list separators', () => {
    expect(formatCsvLine(['a;1', 'b\t1', 'c|1'])).toBe('"a;1","b\t1","c|1"\r\n');
  });

  const SEPARATORS = [';', '\t', '|', '\n', '\r\n', '\r', '\v', '\f', '\u0085', '\u2028', '\u2029'];
  const BETWEEN = ['', ' ', '"', '""', '\u200B', '; ;', '\t;"'];

  it.each(SEPARATORS)('escapes formulas with any sign after the separator %j', (separator) => {
    for (const sign of SIGNS) {
      for (const between of BETWEEN) {
        const start = `Kedai${separator}${between}`;
        const line = formatCsvLine([`${start}${sign}1+1`, 2]);
        expect(line).toContain(`${start.replaceAll('"', '""')}'${sign}1+1`);
      }
    }
  });

  it('escapes each of several formulas', () => {
    expect(formatCsvLine(['=1;=2\n;;+3;x-4;'])).toBe(`"'=1;'=2\n;;'+3;x-4;"\r\n`);
  });

  it('formats a long text of separators', () => {
    expect(formatCsvLine([';'.repeat(1_000_000)])).toHaveLength(1_000_004);
  });

  it('keeps numbers, including negative ones', () => {
    expect(formatCsvLine([-5, '-5.20', '-'])).toBe("-5,-5.20,'-\r\n");
  });
});

describe('createCsvFile', () => {
  it('streams every row once after the header', async () => {
    const reads: PageRequest[] = [];
    const rows = Array.from({ length: 1_203 }, (_, index) => index);
    const file = await createCsvFile(FILE, 'a', (request) => {
      reads.push(request);
      return Promise.resolve(pageFrom(rows, request));
    });
    expect(reads).toHaveLength(1);
    const written = await text(file.getStream());
    expect(written).toBe(`\uFEFFNumber,At (UTC+8)\r\n${rows.map((row) => `${row},1970-01-01 08:00:00\r\n`).join('')}`);
    expect(reads.map(({ after }) => after)).toEqual([null, '499', '999']);
  });

  it('rejects if the first page fails and aborts the stream if a later page fails', async () => {
    await expect(createCsvFile(FILE, 'a', () => Promise.reject(new Error('no list')))).rejects.toThrow('no list');
    const file = await createCsvFile(FILE, 'a', (request) =>
      request.after === null
        ? Promise.resolve(
            pageFrom(
              Array.from({ length: 501 }, (_, index) => index),
              request,
            ),
          )
        : Promise.reject(new Error('gone')),
    );
    await expect(text(file.getStream())).rejects.toThrow('gone');
  });
});

describe('download slots', () => {
  const open = (holder: string, read = readOne): ReturnType<typeof createCsvFile> => createCsvFile(FILE, holder, read);
  const readOne = (): Promise<Page<number>> => Promise.resolve({ items: [1], next: null });

  it('are limited to half for one organisation', async () => {
    const [first, second] = [await open('greedy'), await open('greedy')];
    let isThirdOpen = false;
    const third = open('greedy').finally(() => (isThirdOpen = true));
    expect(await text((await open('other')).getStream())).toContain('Number');
    expect(isThirdOpen).toBe(false);
    await text(first.getStream());
    for (const file of [second, await third]) await text(file.getStream());
  });

  it('are released after errors and aborted downloads', async () => {
    for (let turn = 0; turn < 5; turn += 1) {
      await expect(open('greedy', () => Promise.reject(new Error('no list')))).rejects.toThrow('no list');
      (await open('greedy')).getStream().destroy();
    }
    expect(await text((await open('greedy')).getStream())).toContain('Number');
  });
});

const FILE = {
  name: 'numbers',
  columns: [{ title: 'Number', value: (row: number) => row }, createInstantColumn('At', () => new Date(0))],
};

function pageFrom(rows: number[], request: PageRequest): Page<number> {
  const start = request.after === null ? 0 : Number(request.after) + 1;
  return toPage(rows.slice(start, start + request.limit + 1), request, String);
}
