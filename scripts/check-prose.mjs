// Checks all prose with textlint: pages, API descriptions, dashboard texts, messages, test titles, comments and
// settings files. The phrases are in prose.yml. Code and JSON are converted to Markdown line by line, so that findings
// have the line numbers of the file.
import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { createLinter, loadTextlintrc } from 'textlint';
import ts from 'typescript';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));

const PAGES = [
  'README.md',
  'CONTRIBUTING.md',
  'dashboard/README.md',
  'clients/typescript/README.md',
  'deploy/README.md',
  ...filesUnder('docs', /\.md$/),
  ...filesUnder('site/pages', /\.md$/),
];
const API_DESCRIPTIONS = ['openapi.json', 'dashboard/openapi.json', 'simulator/openapi.json'];
const GENERATED = 'dashboard/src/api/schema.ts';
const CODE = [
  'src',
  'clients/typescript/src',
  'sandbox-suite',
  'site',
  'dashboard/src',
  'standalone',
  'simulator',
  'bench',
  'scripts',
  'test',
].flatMap((folder) => filesUnder(folder, /\.(?:tsx?|mjs)$/).filter((file) => file !== GENERATED));

const COMMENTED = [
  '.env.example',
  '.ci/run',
  ...filesUnder('deploy', /\.(?:ya?ml|cfg|example|sql|service|target)$/),
  ...filesUnder('src', /\.sql$/),
];

const texts = [
  ...PAGES.map((file) => ({ file, text: read(file) })),
  { file: 'CHANGELOG.md', text: unreleased(read('CHANGELOG.md')) },
  ...API_DESCRIPTIONS.map((file) => ({ file, text: descriptionsIn(read(file)) })),
  ...COMMENTED.map((file) => ({ file, text: lineCommentsIn(read(file)) })),
  ...CODE.map((file) => ({ file, text: proseIn(file, read(file)) })),
];

const linter = createLinter({
  descriptor: await loadTextlintrc({ configFilePath: path.join(import.meta.dirname, '.textlintrc.json') }),
});

let findings = 0;
for (const { file, text } of texts) {
  const { messages } = await linter.lintText(text, `${file}.md`);
  for (const { line, message } of messages) console.error(`${file}:${line}: ${message}`);
  findings += messages.length;
}
if (findings > 0) {
  console.error(`${findings} phrases to rewrite; scripts/prose.yml says what to write instead`);
  process.exitCode = 1;
} else console.log(`No phrase of scripts/prose.yml in ${texts.length} files`);

function read(file) {
  return readFileSync(path.join(root, file), 'utf8');
}

function filesUnder(folder, extension) {
  return readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => extension.test(file) && !file.includes('node_modules'))
    .map((file) => path.posix.join(folder, file))
    .sort();
}

/** Returns the changelog without released versions, which are not edited any more. */
function unreleased(changelog) {
  const [head, section] = changelog.split(/^(?=## \[)/m);
  return head + section;
}

/** Extracts the texts of a JSON file, in which prettier puts each member on its own line. */
function descriptionsIn(json) {
  return json
    .split('\n')
    .map((line) => /^\s*"(?:description|summary|message|hint)": (".*"),?$/.exec(line)?.[1])
    .map((text) => (text === undefined ? '' : plain(JSON.parse(text))))
    .join('\n');
}

/** Extracts line comments and the texts of alerts. */
function lineCommentsIn(text) {
  return text
    .split('\n')
    .map((line) =>
      plain(/(?:^|\s)(?:#|--) (.*)$|^\s*(?:summary|description): (.*)$/.exec(line)?.slice(1).join('') ?? ''),
    )
    .join('\n');
}

/** Extracts comments and texts of a code file. From a test, only comments and titles. */
function proseIn(file, text) {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const lines = text.split('\n').map(() => '');
  const lineOf = (position) => ts.getLineAndCharacterOfPosition(source, position).line;
  const isTest = file.startsWith('test/') || file.includes('.spec.');
  const characters = text.split('');
  for (const { start, parts, ranges, isTitle } of literalsIn(source)) {
    if ((!isTest || isTitle) && isProse(parts))
      lines[lineOf(start)] += ` ${asSentence(plain(parts.join('`…`')), isTitle)}`;
    // Blanks out string literals, because they may contain text that looks like a comment.
    for (const [from, to] of ranges) characters.fill(' ', from, to);
  }
  for (const { 0: comment, index } of characters.join('').matchAll(/\/\*[\s\S]*?\*\/|\/\/[^\n]*/g)) {
    const first = lineOf(index);
    const written = text.slice(index, index + comment.length).split('\n');
    for (const [offset, line] of written.entries()) {
      lines[first + offset] += ` ${plain(line.replaceAll(/^\s*(?:\/\*\*?|\/\/|\*(?!\/))|\*\/$/g, ''))}`;
    }
  }
  return lines.map((line) => line.trim()).join('\n');
}

/** Makes a title a sentence, so that the rules for the start of a sentence apply to it. */
function asSentence(text, isTitle) {
  return isTitle ? `${text.charAt(0).toUpperCase()}${text.slice(1)}.` : text;
}

/** Returns the literals below a node with the texts between their placeholders and with their positions. */
function literalsIn(node) {
  if (ts.isTemplateExpression(node)) {
    const texts = [node.head, ...node.templateSpans.map(({ literal }) => literal)];
    const inner = node.templateSpans.flatMap(({ expression }) => literalsIn(expression));
    return [literal(node, texts), ...inner];
  }
  if (ts.isLiteralExpression(node) || ts.isJsxText(node)) return [literal(node, [node])];
  const literals = [];
  ts.forEachChild(node, (child) => {
    literals.push(...literalsIn(child));
  });
  return literals;
}

function literal(node, texts) {
  const source = node.getSourceFile();
  const start = ts.isJsxText(node) ? node.pos : node.getStart(source);
  const isSql = source.text.slice(node.pos, start).includes('/* sql */');
  const ranges = texts.map((part) => [part === texts[0] ? start : part.pos, part.end]);
  return { start, parts: isSql ? [] : texts.map((part) => part.text), ranges, isTitle: isTitle(node) };
}

/** Returns whether the node is the first argument of `it`, `describe`, `it.each(…)` or a similar call. */
function isTitle({ parent, ...node }) {
  return (
    ts.isCallExpression(parent) &&
    parent.arguments[0]?.pos === node.pos &&
    /^(?:it|describe|test)\b/.test(parent.expression.getText())
  );
}

/** Returns whether the text has at least two words and is not SQL. */
function isProse(parts) {
  const text = parts.join(' … ');
  return (
    /[a-z]{2,},? [a-z]{2,}/i.test(text) &&
    !/^\s*(?:SELECT|INSERT|UPDATE|DELETE|WITH|CREATE|ALTER|DROP|EXPLAIN)\b/.test(text)
  );
}

/** Removes markup except for backticks. */
function plain(text) {
  return text.replaceAll(/[<>#*_|[\]\s]+/g, ' ').trim();
}
