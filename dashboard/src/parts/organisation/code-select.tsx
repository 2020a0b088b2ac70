import { type OptionsFilter, Select, type SelectProps } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { NothingFound } from '../nothing-found';
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

/** The authority writes countries in capitals. */
function toCountryOptions(rows: Code[]): Option[] {
  return rows.map(({ code, description }) => ({ value: code, label: toTitleCase(description) }));
}

const SMALL_WORDS = /\b(?:And|Of|The)\b/g;

function toTitleCase(capitals: string): string {
  const words = capitals.toLowerCase().replace(/(?<![\p{L}'])\p{L}/gu, (letter) => letter.toUpperCase());
  return words.replace(SMALL_WORDS, (word, at) => (at === 0 ? word : word.toLowerCase())).replace('(Us)', '(US)');
}

/** A country is found by its code too. */
const byNameOrCode: OptionsFilter = ({ options, search }) => {
  const typed = search.trim().toLowerCase();
  return options.filter((one) => 'value' in one && `${one.label} ${one.value}`.toLowerCase().includes(typed));
};

function toSlugOptions(rows: Code[]): Option[] {
  return rows.map(({ code, slug, description }) => ({ value: slug ?? code, label: description }));
}

const TYPING_MS = 200;

/** More than the countries; the list of units has two thousand. */
const OPTIONS_MAX = 300;

const TO_OPTIONS: Readonly<Record<CodeList, (rows: Code[]) => Option[]>> = {
  states: toNamedOptions,
  countries: toCountryOptions,
  classifications: toOptions,
  'tax-types': toOptions,
  units: toOptions,
};

export interface CodeSelectProps extends Props {
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
    select: by === 'slug' ? toSlugOptions : TO_OPTIONS[list],
  });
  const options = without === undefined ? data : data.filter(({ value }) => value !== without || value === props.value);
  return (
    <Select
      searchable
      data={options}
      filter={byNameOrCode}
      limit={OPTIONS_MAX}
      nothingFoundMessage={<NothingFound text="Nothing of that name" />}
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
      nothingFoundMessage={<NothingFound text={describeNothing(query, isFetching)} />}
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

function describeNothing(query: string, isFetching: boolean): string {
  if (query === '') return 'Type a word of what the business does';
  return isFetching ? 'Searching…' : 'No industry has these words: try another one';
}
