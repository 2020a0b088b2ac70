export class SettingsError extends Error {
  constructor(readonly problems: readonly string[]) {
    super(`The settings are wrong (see .env.example):\n${problems.map((problem) => `  - ${problem}`).join('\n')}`);
    this.name = 'SettingsError';
  }
}

interface NumberLimits {
  readonly default: number;
  readonly minimum: number;
  readonly maximum: number;
}

export class SettingsReader {
  private readonly problems: string[] = [];

  constructor(private readonly environment: NodeJS.ProcessEnv) {}

  isSet(name: string): boolean {
    return this.raw(name) !== '';
  }

  text(name: string, options: { default?: string } = {}): string {
    const value = this.raw(name);
    if (value !== '') return value;
    if (options.default === undefined) this.problem(`${name} must be set`);
    return options.default ?? '';
  }

  integer(name: string, limits: NumberLimits): number {
    const value = this.decimal(name, limits);
    if (!Number.isInteger(value)) this.problem(`${name} must be a whole number, not "${this.raw(name)}"`);
    return value;
  }

  decimal(name: string, limits: NumberLimits): number {
    const text = this.raw(name);
    if (text === '') return limits.default;
    const value = Number(text);
    if (Number.isFinite(value) && value >= limits.minimum && value <= limits.maximum) return value;
    this.problem(`${name} must be a number from ${limits.minimum} to ${limits.maximum}, not "${text}"`);
    return limits.default;
  }

  choice<T extends string>(name: string, choices: readonly T[], standard: T): T {
    const text = this.raw(name);
    const found = choices.find((choice) => choice === (text || standard));
    if (found === undefined) this.problem(`${name} must be one of ${choices.join(', ')}, not "${text}"`);
    return found ?? standard;
  }

  url(name: string, options: { default?: string; protocols?: readonly string[] } = {}): string {
    const text = this.text(name, options);
    const protocols = options.protocols ?? ['http:', 'https:'];
    if (text !== '' && !(URL.canParse(text) && protocols.includes(new URL(text).protocol))) {
      this.problem(
        `${name} must be a URL that starts with ${protocols.map((protocol) => `${protocol}//`).join(' or ')}`,
      );
    }
    const [withoutSlashes = ''] = /^[^]*[^/]/.exec(text) ?? [];
    return withoutSlashes;
  }

  problem(text: string): void {
    this.problems.push(text);
  }

  listProblems(): readonly string[] {
    return this.problems;
  }

  assertNoProblems(): void {
    if (this.problems.length > 0) throw new SettingsError(this.problems);
  }

  private raw(name: string): string {
    return this.environment[name]?.trim() ?? '';
  }
}
