import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiOperation, ApiParam, ApiProperty, ApiQuery, ApiTags } from '@nestjs/swagger';
import { DashboardError } from '../../errors/dashboard-errors.js';
import { CLASSIFICATIONS, type CodeRow, COUNTRIES, STATES, TAX_TYPES, UNITS } from '../../documents/code-lists.js';
import { INDUSTRIES_FOUND_MAX, searchIndustries } from '../../documents/industry-search.js';
import { checkParameters, readParameter, SEARCH_WORDS } from '../parameters.js';
import { CompressedResponse } from '../responses.js';
import { Access } from '../session/access.js';

export class CodeDto {
  @ApiProperty({ type: String, example: '46510' })
  code: string;

  @ApiProperty({ type: String, example: 'Wholesale of computer hardware, software and peripherals' })
  description: string;

  @ApiProperty({
    type: String,
    required: false,
    example: 'selangor',
    description: 'Name that documents may use instead of the code. Only states have a slug.',
  })
  slug?: string;
}

type ListedRow = CodeRow & { readonly slug?: string };

/** Lists that are short enough for a dropdown. */
const LISTS: Readonly<Record<string, readonly ListedRow[]>> = {
  states: STATES,
  countries: COUNTRIES,
  classifications: CLASSIFICATIONS,
  'tax-types': TAX_TYPES,
  units: UNITS,
};

/** The authority's code lists for the choices of form fields. */
@ApiTags('Code lists')
@Controller('dashboard/code-lists')
export class CodeListsController {
  @Get('msic')
  @Access('user')
  @ApiOperation({ operationId: 'searchMsic', summary: 'Search industries by code or words' })
  @ApiQuery({ name: 'query', required: false, schema: { type: 'string', example: 'wholesale computers' } })
  @CompressedResponse([CodeDto], `At most ${INDUSTRIES_FOUND_MAX}, best match first.`)
  search(@Query() query: unknown): CodeDto[] {
    checkParameters(query, { query: SEARCH_WORDS });
    return searchIndustries(readParameter(query, 'query') ?? '').map(toCode);
  }

  @Get(':list')
  @Access('user')
  @ApiOperation({ operationId: 'getCodeList', summary: 'Get a code list' })
  @ApiParam({ name: 'list', enum: Object.keys(LISTS) })
  @CompressedResponse([CodeDto])
  list(@Param('list') list: string): CodeDto[] {
    if (!Object.hasOwn(LISTS, list)) throw new DashboardError('not_found_here', { message: 'There is no such list' });
    return LISTS[list].map(toCode);
  }
}

function toCode({ code, description, slug }: ListedRow): CodeDto {
  return slug === undefined ? { code, description } : { code, description, slug };
}
