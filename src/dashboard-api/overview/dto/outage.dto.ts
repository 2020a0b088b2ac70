import { ApiProperty } from '@nestjs/swagger';
import { ChosenField, InstantField } from '../../../common/response-fields.js';
import {
  OUTAGE_CODES,
  type OutageCode,
  STOPPED_PARTS,
  type StoppedPart,
} from '../../../dispatcher/operations/outages.js';

export class OutageDto {
  @ChosenField(OUTAGE_CODES, {
    description:
      '`not_running`: no dispatcher runs. `client_refused`: the authority refuses our own login. ' +
      '`authority_unavailable`: calls fail one after the other. `call_budget`: the authority has asked for a pause.',
  })
  code: OutageCode;

  @InstantField('Since when.')
  since: Date;

  @InstantField('When it ends, as far as that is known.', { nullable: true })
  until: Date | null;

  @ApiProperty({
    enum: STOPPED_PARTS,
    isArray: true,
    description: 'What it stops: sending, outcomes of what was sent, cancellations.',
  })
  stops: StoppedPart[];
}

export class OutageStateDto {
  @ApiProperty({ type: OutageDto, nullable: true, description: 'The gravest one; null: there is none.' })
  outage: OutageDto | null;
}
