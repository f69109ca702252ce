import ca.uhn.fhir.rest.api.server.RequestDetails;
import ca.uhn.fhir.rest.server.exceptions.AuthenticationException;
import ca.uhn.fhir.rest.server.interceptor.auth.AuthorizationInterceptor;
import ca.uhn.fhir.rest.server.interceptor.auth.IAuthRule;
import ca.uhn.fhir.rest.server.interceptor.auth.RuleBuilder;
import java.util.List;
import org.hl7.fhir.instance.model.api.IIdType;
import org.hl7.fhir.r4.model.IdType;

/**
 * HAPI's own AuthorizationInterceptor with the rules of its documents for a patient: their compartment, and what
 * belongs to no patient. It leaves authentication to its user, so the token is the patient's id in plain text.
 */
class OnePatient extends AuthorizationInterceptor {
  private static final String BEARER = "Bearer ";
  private static final List<String> SHARED =
      List.of("Organization", "Practitioner", "PractitionerRole", "Location", "Medication");

  @Override
  public List<IAuthRule> buildRuleList(RequestDetails request) {
    String header = request.getHeader("Authorization");
    if (header == null || !header.startsWith(BEARER)) throw new AuthenticationException("a token is missing");
    IIdType patient = new IdType("Patient", header.substring(BEARER.length()));
    RuleBuilder rules = new RuleBuilder();
    rules.allow().metadata();
    rules.allow().transaction().withAnyOperation().andApplyNormalRules();
    for (String type : SHARED) rules.allow().read().resourcesOfType(type).withAnyId();
    rules.allow().read().allResources().inCompartment("Patient", patient);
    rules.allow().write().allResources().inCompartment("Patient", patient);
    rules.allow().operation().named("$everything").onInstance(patient).andRequireExplicitResponseAuthorization();
    return rules.denyAll().build();
  }
}
