import { ArrayMaxSize, IsArray, IsOptional, IsString, MaxLength } from 'class-validator';
import { OptionalOrEmpty } from './list-query.js';

/** A text that users agree to before an app gets access (`spec §3` Disclaimer). */
export class Disclaimer {
  id: string;
  description: string;
  /** Sanitised by the server. */
  disclaimerHtml: string;
  hasAlreadyAgreed: boolean;
  tenantId: string | null;
  tenantName: string | null;
  /** OAuth client id of the app it is about; null for one that is about all of them. */
  clientId: string | null;
}

/** `GET /api/disclaimer`. */
export class DisclaimerList {
  clientName: string;
  disclaimers: Disclaimer[];
}

/**
 * The query of both calls. Without `returnUrl` this browser's only pending request is meant; `clientId` and `tenantId`
 * are that request's own, or left out.
 */
export class DisclaimerQuery {
  @IsOptional()
  @IsString()
  @MaxLength(16_384)
  returnUrl?: string;

  @IsOptional()
  @IsString()
  @MaxLength(200)
  clientId?: string;

  @OptionalOrEmpty()
  @IsString()
  @MaxLength(200)
  tenantId?: string;
}

/** `POST /api/disclaimer?returnUrl=…`: agrees to all of them that were not agreed to before. */
export class AgreementRequest {
  @IsOptional()
  @IsString()
  @MaxLength(200)
  clientId?: string | null;

  @OptionalOrEmpty()
  @IsString()
  @MaxLength(200)
  tenantId?: string | null;

  @IsArray()
  @ArrayMaxSize(200)
  @IsString({ each: true })
  @MaxLength(100, { each: true })
  disclaimerIds: string[];
}
