import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ChoiceSelect, type ChoiceSelectProps } from '../choice-select';
import { NothingFound } from '../nothing-found';
import { type Choice, readUnmatched } from '../unmatched';
import { type Code, type CodeList, codeListQuery, industriesQuery } from './queries';

type Props = Omit<ChoiceSelectProps, 'data'>;

const NONE: Choice[] = [];

function toOptions(rows: Code[]): Choice[] {
  return rows.map((row) => ({ value: row.code, label: buildLabel(row) }));
}

function toNamedOptions(rows: Code[]): Choice[] {
  return rows.map(({ code, description }) => ({ value: code, label: description }));
}

/** The authority's country names are in capitals. */
function toCountryOptions(rows: Code[]): Choice[] {
  return rows.map(({ code, description }) => ({ value: code, label: toTitleCase(description) }));
}

const SMALL_WORDS = /\b(?:And|Of|The)\b/g;

function toTitleCase(capitals: string): string {
  const words = capitals.toLowerCase().replace(/(?<![\p{L}'])\p{L}/gu, (letter) => letter.toUpperCase());
  return words.replace(SMALL_WORDS, (word, at) => (at === 0 ? word : word.toLowerCase())).replace('(Us)', '(US)');
}

function toSlugOptions(rows: Code[]): Choice[] {
  return rows.map(({ code, slug, description }) => ({ value: slug ?? code, label: description }));
}

const TYPING_MS = 200;

const TO_OPTIONS: Readonly<Record<CodeList, (rows: Code[]) => Choice[]>> = {
  states: toNamedOptions,
  countries: toCountryOptions,
  classifications: toOptions,
  'tax-types': toOptions,
  units: toOptions,
};

export interface CodeSelectProps extends Props {
  list: CodeList;
  /** Member that is used as the value. Documents use slugs for states. */
  by?: 'code' | 'slug';
  /** Code that is not offered. */
  without?: string;
}

export function CodeSelect({ list, by = 'code', without, ...props }: CodeSelectProps) {
  // `select` must be a stable function: a form has many fields with a list of two thousand units.
  const { data = NONE } = useQuery({
    ...codeListQuery(list),
    select: by === 'slug' ? toSlugOptions : TO_OPTIONS[list],
  });
  const options = without === undefined ? data : data.filter(({ value }) => value !== without || value === props.value);
  return <ChoiceSelect data={options} nothingFoundMessage={<NothingFound text="No entry of that name" />} {...props} />;
}

export function IndustrySelect(props: Props) {
  const [typed, setTyped] = useState<string | null>(null);
  const text = (typed ?? readUnmatched(props.value) ?? props.value ?? '').trim();
  // Extracts the code from a chosen "code description", so that the search finds it again.
  const wanted = text.match(/^\d{5}(?= )/)?.[0] ?? text;
  const [query] = useDebouncedValue(wanted, TYPING_MS);
  const { data = [], isFetching } = useQuery({ ...industriesQuery(query), placeholderData: keepPreviousData });
  return (
    <ChoiceSelect
      clearable
      data={toOptions(data)}
      isFiltered
      isSearching={isFetching || query !== wanted}
      onType={setTyped}
      nothingFoundMessage={<NothingFound text={describeNothing(query, isFetching)} />}
      placeholder="Type what you do, such as wholesale computers, or the code"
      {...props}
    />
  );
}

function buildLabel({ code, description }: Code): string {
  return `${code} ${description}`;
}

function describeNothing(query: string, isFetching: boolean): string {
  if (query === '') return 'Type a word of what the business does';
  return isFetching ? 'Searching…' : 'No industry matches these words. Try another word.';
}
