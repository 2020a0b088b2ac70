import { ApiProperty } from '@nestjs/swagger';

export class CodeDto {
  @ApiProperty({ type: String, example: '46510' })
  code: string;

  @ApiProperty({ type: String, example: 'Wholesale of computer hardware, software and peripherals' })
  description: string;

  @ApiProperty({
    type: String,
    required: false,
    example: 'selangor',
    description: 'How a document names it; of states only.',
  })
  slug?: string;
}
