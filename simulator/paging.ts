import { ParameterRefusal } from './query-parameters.js';

const pageSizeMax = 100;

interface Page {
  size: number;
  from: number;
  to: number;
}

export function readPage(query: URLSearchParams): Page {
  const number = readCount(query, 'pageNo', 1);
  const size = readCount(query, 'pageSize', pageSizeMax);
  if (size > pageSizeMax) throw new ParameterRefusal('pageSize', `pageSize is at most ${pageSizeMax}`);
  return { size, from: (number - 1) * size, to: number * size };
}

function readCount(query: URLSearchParams, name: string, usual: number): number {
  const count = Number(query.get(name) ?? usual);
  if (!Number.isInteger(count) || count < 1) throw new ParameterRefusal(name, `${name} is a whole number from 1`);
  return count;
}
