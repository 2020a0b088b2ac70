import { ApiProperty } from '@nestjs/swagger';
import { DOCUMENT_TYPES, type DocumentTotals, type DocumentType } from '../../documents/simplified-document.js';
import { WarnedDto } from './warning.dto.js';

class DryRunTotalsDto implements DocumentTotals {
  @ApiProperty({ example: 190 })
  totalExcludingTax: number;

  @ApiProperty({ example: 15.2 })
  totalTaxAmount: number;

  @ApiProperty({ example: 205.2 })
  totalIncludingTax: number;

  @ApiProperty({ example: 205.2 })
  totalPayableAmount: number;
}

class DryRunDocumentDto {
  @ApiProperty({ enum: DOCUMENT_TYPES })
  documentType: DocumentType;

  @ApiProperty({ example: 'INV-2026-0001' })
  referenceId: string;

  @ApiProperty({ type: DryRunTotalsDto, description: 'As the authority would get them, in MYR.' })
  totals: DryRunTotalsDto;
}

/** The answer of a submit with `dryRun=true`. */
export class SubmitDryRunDto extends WarnedDto {
  @ApiProperty({ enum: [true], example: true })
  dryRun: true;

  @ApiProperty({ type: 'integer', example: 1, description: 'What the submit would cost.' })
  requiredCredits: number;

  @ApiProperty({ type: [DryRunDocumentDto], description: 'In the order of submission.' })
  documents: DryRunDocumentDto[];
}
