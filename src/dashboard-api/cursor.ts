import { applyDecorators } from '@nestjs/common';
import { ApiProperty, ApiQuery } from '@nestjs/swagger';
import { isCalendarDate } from '../common/malaysian-days.js';
import { validate as isUuid } from 'uuid';
import { ValidationError } from '../errors/api-error.js';
import type { Problem } from '../errors/problem.js';

/** Rows of a page unless the request says otherwise, and at most. */
export const PAGE_ROWS = 50;
export const PAGE_ROWS_MAX = 200;

/** What a list is ordered by, which its cursors are made of: an id, the number of an entry, or a day or sen and an id. */
const POSITIONS = {
  uuid: (text: string): boolean => isUuid(text),
  sequence: (text: string): boolean => /^\d{1,15}$/.test(text),
  date: (text: string): boolean => isDatabaseDate(text.slice(0, 10)) && text[10] === ':' && isUuid(text.slice(11)),
  amount: (text: string): boolean => /^-?\d{1,17}:/.test(text) && isUuid(text.slice(text.indexOf(':') + 1)),
} as const;

/** A calendar date that PostgreSQL knows: it has no year 0. */
export function isDatabaseDate(text: string): boolean {
  return isCalendarDate(text) && text >= '0001';
}

export type PositionKind = keyof typeof POSITIONS;

/** The part of a list that is asked for. */
export interface PageRequest {
  readonly limit: number;
  /** The position of the last row before the page; null for the first page. */
  readonly after: string | null;
}

/** A part of a list, and the cursor of the one after it; null after the last. */
export interface Page<Row> {
  readonly items: Row[];
  readonly next: string | null;
}

/**
 * Which page the query asks for with `cursor` and `limit`.
 * @param position what the list is ordered by; a cursor of another form is refused here, before a statement sees it
 * @throws ValidationError (400) naming the parameter
 */
export function readPage(query: unknown, position: PositionKind = 'uuid'): PageRequest {
  const { cursor, limit } = query as { cursor?: unknown; limit?: unknown };
  const problems: Problem[] = [];
  const after = isLeftOut(cursor) ? null : decode(cursor);
  if (after !== null && !POSITIONS[position](after)) problems.push(CURSOR_PROBLEM);
  const rows = isLeftOut(limit) ? PAGE_ROWS : parseLimit(limit);
  if (!(rows >= 1 && rows <= PAGE_ROWS_MAX)) problems.push(LIMIT_PROBLEM);
  if (problems.length > 0) throw new ValidationError(problems);
  return { limit: rows, after };
}

/**
 * The page that rows make: they were read in the order of the list, one more than the limit if there were as many.
 * @param toPosition what the list is ordered by, of the kind that `readPage` was told
 */
export function toPage<Row>(rows: readonly Row[], { limit }: PageRequest, toPosition: (row: Row) => string): Page<Row> {
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  return { items, next: rows.length > limit && last !== undefined ? encodeCursor(toPosition(last)) : null };
}

/** The cursor of the page behind that position. */
export function encodeCursor(position: string): string {
  return Buffer.from(position).toString('base64url');
}

/** The request for the page that our cursor names. */
export function afterCursor(cursor: string, limit: number): PageRequest {
  return { limit, after: decode(cursor) };
}

/** Documents the two parameters of a list. */
export function PageQuery(): MethodDecorator {
  return applyDecorators(
    ApiQuery({ name: 'cursor', required: false, type: String, description: '`next` of the page before.' }),
    ApiQuery({
      name: 'limit',
      required: false,
      description: 'Rows of a page.',
      schema: { type: 'integer', minimum: 1, maximum: PAGE_ROWS_MAX, default: PAGE_ROWS },
    }),
  );
}

/** The response of a list: a page of such rows. */
export function PageOf<Row>(type: new () => Row, description?: string): new () => Page<Row> {
  class PageDto implements Page<Row> {
    @ApiProperty({ type, isArray: true, ...(description !== undefined && { description }) })
    items: Row[];

    @ApiProperty({ type: String, nullable: true, description: 'The cursor of the next page; null on the last.' })
    next: string | null;
  }
  return PageDto;
}

const CURSOR_PROBLEM: Problem = {
  pointer: '/cursor',
  rule: 'cursor_form',
  message: 'is not a cursor of this list',
  hint: 'leave it out for the first page, then send `next` of the page before',
};

const LIMIT_PROBLEM: Problem = {
  pointer: '/limit',
  rule: 'limit_range',
  message: `must be a whole number from 1 to ${PAGE_ROWS_MAX}`,
  hint: `leave it out for ${PAGE_ROWS}`,
};

function isLeftOut(value: unknown): boolean {
  return value === undefined || value === '';
}

function parseLimit(value: unknown): number {
  return typeof value === 'string' && /^\d{1,4}$/.test(value) ? Number(value) : Number.NaN;
}

function decode(cursor: unknown): string {
  return typeof cursor === 'string' ? Buffer.from(cursor, 'base64url').toString() : '';
}
