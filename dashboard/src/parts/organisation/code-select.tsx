import { Select, type SelectProps } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { type Code, type CodeList, codeListQuery, industriesQuery } from './queries';

type Props = Omit<SelectProps, 'data'>;

interface Option {
  value: string;
  label: string;
}

const NONE: Option[] = [];

function toOptions(rows: Code[]): Option[] {
  return rows.map((row) => ({ value: row.code, label: buildLabel(row) }));
}

function toNamedOptions(rows: Code[]): Option[] {
  return rows.map(({ code, description }) => ({ value: code, label: description }));
}

function toSlugOptions(rows: Code[]): Option[] {
  return rows.map(({ code, slug, description }) => ({ value: slug ?? code, label: description }));
}

const TYPING_MS = 200;

/** More than the countries; the list of units has two thousand. */
const OPTIONS_MAX = 300;

interface CodeSelectProps extends Props {
  list: CodeList;
  /** What its value is: states are named by slugs in documents. */
  by?: 'code' | 'slug';
  /** A code that cannot be chosen here. */
  without?: string;
}

/** One code of a short list. */
export function CodeSelect({ list, by = 'code', without, ...props }: CodeSelectProps) {
  // The same list again costs the choice nothing: a form has many of the two thousand units.
  const { data = NONE } = useQuery({
    ...codeListQuery(list),
    select: by === 'slug' ? toSlugOptions : list === 'states' ? toNamedOptions : toOptions,
  });
  const options = without === undefined ? data : data.filter(({ value }) => value !== without || value === props.value);
  return (
    <Select
      searchable
      data={options}
      limit={OPTIONS_MAX}
      nothingFoundMessage="Nothing of that name"
      {...props}
      value={chosen(props)}
    />
  );
}

/** An industry (MSIC), found by its code or by words. */
export function IndustrySelect(props: Props) {
  const [typed, setTyped] = useState(props.value ?? '');
  // What is chosen stands in the field as "code description": its code finds it again.
  const [query] = useDebouncedValue(typed.match(/^\d{5}(?= )/)?.[0] ?? typed.trim(), TYPING_MS);
  const { data = [], isFetching } = useQuery({ ...industriesQuery(query), placeholderData: keepPreviousData });
  return (
    <Select
      searchable
      clearable
      data={data.map((row) => ({ value: row.code, label: buildLabel(row) }))}
      // The service has searched already.
      filter={({ options }) => options}
      onSearchChange={setTyped}
      nothingFoundMessage={nothingFound(query, isFetching)}
      placeholder="Type what you do, such as wholesale computers, or the code"
      {...props}
      value={chosen(props)}
    />
  );
}

// A form's empty text is no choice: nothing is there to be cleared.
function chosen({ value }: Props): string | null {
  return value === undefined || value === '' ? null : value;
}

function buildLabel({ code, description }: Code): string {
  return `${code} ${description}`;
}

function nothingFound(query: string, isFetching: boolean): string {
  if (query === '') return 'Type a word of what the business does';
  return isFetching ? 'Searching…' : 'No industry has these words: try another one';
}
