import { Body, Controller, Get, Param, Patch, Post } from '@nestjs/common';
import { ApiBody, ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { type Environment, ENVIRONMENTS } from '../../config/environment.js';
import { LimitedAs } from '../../rate-limits/rate-limit.hook.js';
import { CompressedResponse, OkResponse } from '../responses.js';
import { Access, CurrentMember, type Member } from '../session/access.js';
import { AppointmentService } from './appointment.service.js';
import { AppointmentDto, OrganisationDto, ProfileChangeDto, ProfileDto } from './dto/organisation.dto.js';
import { OrganisationService } from './organisation.service.js';
import { ValidationError } from '../../errors/api-error.js';
import type { Problem } from '../../errors/problem.js';
import { IN_BRACES, quotedHint } from '../../http/validation/hints.js';
import { isJsonObject } from '../../http/validation/shape.js';
import type { ProfileChange } from '../../tenants/profile-change.js';
import { PROFILE_FIELDS } from '../../tenants/tenant-profile.js';

@ApiTags('Organisation')
@ApiParam({ name: 'tenantId', schema: { type: 'string', format: 'uuid' } })
@Controller('dashboard/organisations/:tenantId')
export class OrganisationController {
  constructor(
    private readonly organisations: OrganisationService,
    private readonly appointments: AppointmentService,
  ) {}

  @Get()
  @Access('viewer')
  @ApiOperation({ operationId: 'getOrganisation', summary: 'The profile, what is missing, and how far onboarding is' })
  @CompressedResponse(OrganisationDto)
  show(@CurrentMember() { tenantId }: Member): Promise<OrganisationDto> {
    return this.organisations.show(tenantId);
  }

  @Patch('profile')
  @Access('owner')
  @ApiOperation({ operationId: 'changeProfile', summary: 'Change fields of the profile, all of them or none' })
  @ApiBody({ type: ProfileChangeDto })
  @ApiOkResponse({ type: ProfileDto, description: 'The whole profile, normalised.' })
  change(@CurrentMember() member: Member, @Body() body: unknown): Promise<ProfileDto> {
    return this.organisations.change(member, readProfileChange(body));
  }

  @Post(':environment/appointment-check')
  @Access('member')
  @LimitedAs('tinChecks')
  @ApiOperation({ operationId: 'checkAppointment', summary: 'Try to act for the organisation at the authority' })
  @ApiParam({ name: 'environment', enum: ENVIRONMENTS })
  @OkResponse(AppointmentDto)
  check(@CurrentMember() member: Member, @Param('environment') environment: Environment): Promise<AppointmentDto> {
    return this.appointments.check(member, environment);
  }
}

// A name goes into the response.
const NAME_CHARACTERS_MAX = 100;

const FIELDS: ReadonlySet<string> = new Set(PROFILE_FIELDS);

/**
 * The change of a profile in a body: null clears a field, as an empty text does. What the texts must be is for the
 * profile's rules to say.
 * @throws ValidationError (400) for what is no object, no field of a profile, or neither text nor null
 */
function readProfileChange(body: unknown): ProfileChange {
  if (!isJsonObject(body)) {
    throw new ValidationError([
      { pointer: '', rule: 'body_type', message: 'the body must be a JSON object', hint: IN_BRACES },
    ]);
  }
  const problems = Object.entries(body).flatMap(([name, value]) => findProblems(name, value));
  if (problems.length > 0) throw new ValidationError(problems);
  return Object.fromEntries(Object.entries(body).map(([name, value]) => [name, value ?? '']));
}

function findProblems(name: string, value: unknown): Problem[] {
  const pointer = `/${name.slice(0, NAME_CHARACTERS_MAX).replaceAll('~', '~0').replaceAll('/', '~1')}`;
  if (!FIELDS.has(name)) {
    return [{ pointer, rule: 'member_unknown', message: 'is not a field of the profile', hint: 'leave it out' }];
  }
  if (value === null || typeof value === 'string') return [];
  return [{ pointer, rule: 'profile_type', message: 'must be a string', hint: quotedHint(value) }];
}
