/** The reason why a pattern that the checker doubts or cannot see is safe. */
export type Safety =
  /** The reason why it takes linear time. */
  | { readonly linear: string }
  /** The maximum length of its input, at most 300 characters, and the code that limits it. */
  | { readonly charactersMax: number; readonly because: string };

/** All patterns that `recheck` does not prove safe, by their source text. */
export const DOUBTED_PATTERNS: Readonly<Record<string, Safety>> = {
  'src/dashboard-api/sending/next-numbers.service.ts /\\d+$/': {
    charactersMax: 50,
    because: 'REFERENCE_ID_LENGTH_MAX',
  },
  'src/documents/identity.ts /^(.+?)\\s*[([\\uFF08](.+?)[)\\]\\uFF09]$/': {
    charactersMax: 60,
    because: 'limitHint cuts hints off at 60 characters, and a BRN in a warning has at most 20',
  },
  'src/documents/identity.ts /^(?:n\\.?\\s*[./]?\\s*a\\.?|nil|none|null|tiada|[-\\u2010-\\u2015\\u2212.\\s?/]*|0+)$/i':
    {
      charactersMax: 50,
      because: 'NO_NUMBER_CHARACTERS_MAX',
    },
  'src/documents/plain-email.ts /[^\\s@,;:/<>()"]+@[^\\s@,;:/<>()"]+\\.[A-Za-z]{2,}/': {
    charactersMax: 300,
    because: 'ADDRESS_TEXT_CHARACTERS_MAX',
  },
  'src/http/validation/hints.ts /^(?:RM|MYR)?\\s*([-\\u2212+(])?\\s*(?:RM|MYR)?\\s*(\\d+|[1-9]\\d{0,2}(?:,\\d{3})+)(\\.\\d+)?\\s*(?:RM|MYR)?\\s*([-\\u2212)])?$/i':
    { charactersMax: 40, because: 'NUMBER_CHARACTERS_MAX' },
  'src/http/validation/hints.ts /\\s*%$/': { charactersMax: 40, because: 'NUMBER_CHARACTERS_MAX' },
  'src/common/decimal.ts /0+$/': {
    charactersMax: 25,
    because: 'a number written down has at most 25 characters',
  },
  'src/dashboard-api/papers/papers.service.ts /\\.+$/': { charactersMax: 50, because: 'maxLength of referenceId' },
  'src/dashboard-api/transactions/search-term.ts /^(?=.*\\d)(?=.*[\\s.,+~])(?=RM|MYR|.*(?:RM|MYR)$)(?:[-+.,~\\d\\s]|TO|RM|MYR)+$/':
    { linear: 'it is anchored, each lookahead runs once, and no two of its alternatives begin alike' },
};

/** All patterns that are composed at run time, by the expression that composes them. */
export const COMPOSED_PATTERNS: Readonly<Record<string, Safety>> = {
  "src/documents/error-pointer.ts `^${parts.join('\\\\.')}(?:$|\\\\.)`": {
    linear: 'its parts are names of letters and digits, separated by dots, and the texts are paths of our own builder',
  },
  'src/dashboard-api/csv.ts `^[${UNSEEN}]*[${SIGNS}]|^[\\\\t\\\\r\\\\n]`': {
    linear: 'it is anchored, and the two classes have no character in common',
  },
  'src/dashboard-api/csv.ts `([;|\\\\t\\\\r\\\\n\\\\v\\\\f\\\\u0085\\\\u2028\\\\u2029][";|${UNSEEN}]*)([${SIGNS}]?)`': {
    linear: 'it matches wherever it begins, so that each character is scanned once',
  },
  'src/http/validation/text.ts INVISIBLE.source': { linear: 'one character of a class' },
  "src/cli/queue.commands.ts `^(?<referenceId>.+)=(?<status>${STATED_OUTCOMES.join('|')})(?::(?<uuid>[^:=]+))?$`": {
    linear: 'it is anchored, and what follows an equals sign ends before the next one',
  },
  "src/http/allowed-methods.ts `^${segments.join('/')}/?$`": {
    linear: 'it is anchored, and a slash, which no class has, stands between any two of its segments',
  },
  'src/http/validation/look-alikes.ts `^[${TWINS}]+$`': { linear: 'characters of one class' },
  "src/http/validation/look-alikes.ts `^[${members.join('')}]+$`": { linear: 'characters of one class' },
  'src/dashboard-api/transactions/search-term.ts String.raw`^(?<currency>${CURRENCY}\\s*)?(?<from>${AMOUNT})(?:\\s*${CURRENCY})?` + String.raw`(?:(?<between>\\s*(?:-|~|TO)\\s*)(?:${CURRENCY}\\s*)?(?<to>${AMOUNT})(?:\\s*${CURRENCY})?)?$`':
    { linear: 'it is anchored, its amounts are bounded, and a sign stands between any two runs of spaces' },
  'src/documents/rules/warnings.ts `(?:${SPECIAL_CHARACTER.source}| )+`': {
    linear: 'characters of two classes that have none in common',
  },
  'src/dashboard-api/session/dto/session.dto.ts `^[^]{${PASSWORD_CHARACTERS_MIN},}$`': { linear: 'any characters' },
  'simulator/authority-api.ts `^${path}$`': { linear: 'a path of the simulator with one class between two slashes' },
  'simulator/control-page.ts `<${element}>([^]*?)</${element}>`': {
    linear: 'the text is a page of the simulator, and every element of it is closed',
  },
};
