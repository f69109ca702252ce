import ca.uhn.fhir.context.FhirContext;
import ca.uhn.fhir.context.support.DefaultProfileValidationSupport;
import ca.uhn.fhir.parser.IParser;
import ca.uhn.fhir.validation.FhirValidator;
import ca.uhn.fhir.validation.ResultSeverityEnum;
import ca.uhn.fhir.validation.SingleValidationMessage;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Collectors;
import org.hl7.fhir.common.hapi.validation.support.CommonCodeSystemsTerminologyService;
import org.hl7.fhir.common.hapi.validation.support.InMemoryTerminologyServerValidationSupport;
import org.hl7.fhir.common.hapi.validation.support.PrePopulatedValidationSupport;
import org.hl7.fhir.common.hapi.validation.support.SnapshotGeneratingValidationSupport;
import org.hl7.fhir.common.hapi.validation.support.ValidationSupportChain;
import org.hl7.fhir.common.hapi.validation.validator.FhirInstanceValidator;
import org.hl7.fhir.r4.model.Bundle;
import org.hl7.fhir.r4.model.MetadataResource;

/**
 * Validates resources by HL7's validator: the first line of the input is a Bundle of profiles and terminology, each further
 * line a resource. Prints a line for each: `ok`, or its errors.
 */
public class ProfileValidator {
  public static void main(String[] arguments) throws Exception {
    FhirContext fhir = FhirContext.forR4();
    IParser parser = fhir.newJsonParser();
    BufferedReader input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    PrePopulatedValidationSupport profiles = new PrePopulatedValidationSupport(fhir);
    parser
        .parseResource(Bundle.class, input.readLine())
        .getEntry()
        .forEach(entry -> profiles.addResource((MetadataResource) entry.getResource()));
    FhirInstanceValidator instances =
        new FhirInstanceValidator(
            new ValidationSupportChain(
                profiles,
                new DefaultProfileValidationSupport(fhir),
                new SnapshotGeneratingValidationSupport(fhir),
                new CommonCodeSystemsTerminologyService(fhir),
                new InMemoryTerminologyServerValidationSupport(fhir)));
    instances.setErrorForUnknownProfiles(true);
    instances.setAnyExtensionsAllowed(true);
    FhirValidator validator = fhir.newValidator().registerValidatorModule(instances);
    for (String line = input.readLine(); line != null; line = input.readLine()) {
      List<SingleValidationMessage> errors =
          validator.validateWithResult(line).getMessages().stream()
              .filter(message -> message.getSeverity().ordinal() >= ResultSeverityEnum.ERROR.ordinal())
              .toList();
      System.out.println(
          errors.isEmpty()
              ? "ok"
              : errors.stream()
                  .map(error -> error.getLocationString() + ": " + error.getMessage().replace('\n', ' '))
                  .collect(Collectors.joining(" | ")));
      System.out.flush();
    }
  }
}
