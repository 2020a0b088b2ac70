import { ParameterRefusal } from './query-parameters.js';

const pageSizeMax = 100;

interface Page {
  size: number;
  from: number;
  to: number;
}

export function readPage(query: URLSearchParams): Page {
  // Some clients count pages from 0, so 0 and 1 both mean the first page.
  const number = Math.max(1, readCount(query, 'pageNo', { usual: 1, least: 0 }));
  const size = readCount(query, 'pageSize', { usual: pageSizeMax, least: 1 });
  if (size > pageSizeMax) throw new ParameterRefusal('pageSize', `pageSize is at most ${pageSizeMax}`);
  return { size, from: (number - 1) * size, to: number * size };
}

function readCount(query: URLSearchParams, name: string, { usual, least }: { usual: number; least: number }): number {
  const count = Number(query.get(name) ?? usual);
  if (!Number.isInteger(count) || count < least) {
    throw new ParameterRefusal(name, `${name} is a whole number from ${least}`);
  }
  return count;
}
