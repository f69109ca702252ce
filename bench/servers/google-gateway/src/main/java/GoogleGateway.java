import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.autoconfigure.jdbc.DataSourceAutoConfiguration;
import org.springframework.boot.web.servlet.ServletComponentScan;

/** google/fhir-gateway as its documents start it: settings come from the environment. */
@SpringBootApplication(
    scanBasePackages = "com.google.fhir.gateway.plugin",
    exclude = DataSourceAutoConfiguration.class)
@ServletComponentScan("com.google.fhir.gateway")
public class GoogleGateway {
  public static void main(String[] arguments) {
    SpringApplication.run(GoogleGateway.class, arguments);
  }
}
