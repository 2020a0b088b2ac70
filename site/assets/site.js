// Search, language choice, copy buttons and request forms of the pages.

const MALAYSIA_MS = 8 * 3_600_000;
const LANGUAGE_KEY = 'einvoice-docs-language';
// Ids of the last accepted request in this tab, which later forms are filled with.
const KEPT_IDS = {
  submissionBatchId: (body) => body.submissionBatchId,
  documentId: (body) => body.documents?.[0]?.documentId,
};

foldMenuOnPhones();
prepareSearch();
for (const group of document.querySelectorAll('.snippets')) addLanguages(group);
for (const figure of document.querySelectorAll('figure.code')) addCopyButton(figure);
for (const form of document.querySelectorAll('form.try')) prepareForm(form);
showLanguage(readLanguage());

function foldMenuOnPhones() {
  const phone = matchMedia('(max-width: 50rem)');
  const fold = () => {
    document.querySelector('.menu').open = !phone.matches;
  };
  phone.addEventListener('change', fold);
  fold();
}

function prepareSearch() {
  const field = document.querySelector('#search');
  const results = document.querySelector('#results');
  let index = null;
  const load = () => {
    index ??= loadIndex();
    return index;
  };
  field.addEventListener('focus', () => void load());
  const search = async () => {
    const query = field.value.trim();
    const searched = await load();
    // The query changed while the index was loading.
    if (query !== field.value.trim()) return;
    showResults(results, query, query === '' ? [] : searched(query));
  };
  field.addEventListener('input', () => void search());
  document.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') results.hidden = true;
  });
}

async function loadIndex() {
  const load = (file) => import(new URL(file, import.meta.url).href);
  const [{ default: MiniSearch }, { buildSearch }, response] = await Promise.all([
    load('minisearch.js'),
    load('search.js'),
    fetch('/docs/search-index.json'),
  ]);
  return buildSearch(MiniSearch, await response.text());
}

function showResults(results, query, found) {
  results.hidden = query === '';
  const list = element('ul');
  for (const { id, title } of found) {
    const link = element('a', title);
    link.href = id;
    const entry = element('li');
    entry.append(link);
    list.append(entry);
  }
  results.replaceChildren(found.length === 0 ? element('p', `No page has “${query}”`) : list);
}

function addLanguages(group) {
  const bar = element('div');
  bar.className = 'languages';
  for (const figure of group.querySelectorAll('figure')) {
    const button = element('button', figure.querySelector('figcaption').textContent);
    button.type = 'button';
    button.dataset.language = figure.dataset.language;
    button.addEventListener('click', () => {
      localStorage.setItem(LANGUAGE_KEY, figure.dataset.language);
      showLanguage(figure.dataset.language);
    });
    bar.append(button);
  }
  group.prepend(bar);
}

function readLanguage() {
  return localStorage.getItem(LANGUAGE_KEY) ?? 'bash';
}

function showLanguage(language) {
  for (const figure of document.querySelectorAll('.snippets figure')) {
    figure.hidden = figure.dataset.language !== language;
  }
  for (const button of document.querySelectorAll('.languages button')) {
    button.setAttribute('aria-pressed', String(button.dataset.language === language));
  }
}

function addCopyButton(figure) {
  const button = element('button', 'Copy');
  button.type = 'button';
  const copy = async () => {
    await navigator.clipboard.writeText(figure.querySelector('code').textContent);
    button.textContent = 'Copied';
  };
  button.addEventListener('click', () => void copy());
  figure.querySelector('figcaption').append(button);
}

function prepareForm(form) {
  form.hidden = false;
  fillForm(form);
  const result = form.querySelector('.result');
  const sendAndShow = async () => {
    result.textContent = 'Sending …';
    try {
      result.replaceChildren(...(await send(form)));
    } catch (error) {
      result.textContent = `No response: ${error.message}`;
    }
  };
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void sendAndShow();
  });
}

/** Fills in a new document number, today's date in Malaysia, and the ids of the last accepted request. */
function fillForm({ elements }) {
  const batch = elements['path:submissionBatchId'];
  if (batch !== undefined) batch.value = sessionStorage.getItem('submissionBatchId') ?? batch.value;
  if (elements.body === undefined) return;
  const body = JSON.parse(elements.body.value);
  for (const document of body.documents ?? []) {
    document.referenceId = `INV-${Date.now()}`;
    document.document_date = new Date(Date.now() + MALAYSIA_MS).toISOString().slice(0, 10);
  }
  if (body.documentId !== undefined) body.documentId = sessionStorage.getItem('documentId') ?? body.documentId;
  elements.body.value = JSON.stringify(body, null, 2);
}

function keepIds(text) {
  const body = JSON.parse(text);
  for (const [name, read] of Object.entries(KEPT_IDS)) {
    const id = read(body);
    if (id !== undefined) sessionStorage.setItem(name, id);
  }
}

async function send(form) {
  const { method, path } = form.dataset;
  const fields = [...form.elements].filter(({ name, value }) => name !== '' && value !== '');
  const values = fields.map(({ name, value }) => [name, value]);
  const listValuesIn = (location) =>
    values
      .filter(([name]) => name.startsWith(`${location}:`))
      .map(([name, value]) => [name.slice(location.length + 1), value]);
  const named = Object.fromEntries(values);
  const address = listValuesIn('path').reduce(
    (text, [name, value]) => text.replace(`{${name}}`, encodeURIComponent(value)),
    path,
  );
  const query = new URLSearchParams(listValuesIn('query')).toString();
  const headers = new Headers(listValuesIn('header'));
  if (named.apiKey !== undefined) headers.set('X-API-Key', named.apiKey);
  if (named.body !== undefined) headers.set('Content-Type', 'application/json');
  const takesKey = form.elements['header:idempotency-key'] !== undefined;
  if (takesKey && !headers.has('idempotency-key')) headers.set('idempotency-key', makeKey());
  const response = await fetch(query === '' ? address : `${address}?${query}`, { method, headers, body: named.body });
  const text = await response.text();
  if (response.ok && method === 'POST') keepIds(text);
  const shown = [...response.headers].map(([name, value]) => `${name}: ${value}`).join('\n');
  const block = element('pre');
  block.tabIndex = 0;
  block.append(element('code', `${shown}\n\n${formatJson(text)}`));
  return [element('p', `HTTP ${response.status} ${response.statusText}`), block];
}

// `crypto.randomUUID` requires HTTPS or localhost.
function makeKey() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return `docs-${[...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}

function formatJson(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

function element(name, text = '') {
  const made = document.createElement(name);
  made.textContent = text;
  return made;
}
