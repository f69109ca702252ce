import ca.uhn.fhir.batch2.api.IJobMaintenanceService;
import ca.uhn.fhir.batch2.jobs.config.Batch2JobsConfig;
import ca.uhn.fhir.batch2.jobs.export.BulkDataExportProvider;
import ca.uhn.fhir.context.FhirContext;
import ca.uhn.fhir.context.support.IValidationSupport;
import ca.uhn.fhir.jpa.api.config.JpaStorageSettings;
import ca.uhn.fhir.jpa.api.config.ThreadPoolFactoryConfig;
import ca.uhn.fhir.jpa.api.dao.IFhirSystemDao;
import ca.uhn.fhir.jpa.batch2.JpaBatch2Config;
import ca.uhn.fhir.jpa.binary.api.IBinaryStorageSvc;
import ca.uhn.fhir.jpa.binstore.MemoryBinaryStorageSvcImpl;
import ca.uhn.fhir.jpa.config.HapiJpaConfig;
import ca.uhn.fhir.jpa.config.r4.JpaR4Config;
import ca.uhn.fhir.jpa.config.util.HapiEntityManagerFactoryUtil;
import ca.uhn.fhir.jpa.model.config.PartitionSettings;
import ca.uhn.fhir.jpa.model.config.SubscriptionSettings;
import ca.uhn.fhir.jpa.model.dialect.HapiFhirH2Dialect;
import ca.uhn.fhir.jpa.provider.IJpaSystemProvider;
import ca.uhn.fhir.jpa.provider.JpaCapabilityStatementProvider;
import ca.uhn.fhir.jpa.search.DatabaseBackedPagingProvider;
import ca.uhn.fhir.jpa.subscription.channel.config.SubscriptionChannelConfig;
import ca.uhn.fhir.rest.api.EncodingEnum;
import ca.uhn.fhir.rest.server.RestfulServer;
import ca.uhn.fhir.rest.server.provider.ResourceProviderFactory;
import ca.uhn.fhir.rest.server.util.ISearchParamRegistry;
import jakarta.persistence.EntityManagerFactory;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.eclipse.jetty.ee10.servlet.ServletContextHandler;
import org.eclipse.jetty.ee10.servlet.ServletHolder;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.h2.jdbcx.JdbcConnectionPool;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.orm.jpa.JpaTransactionManager;
import org.springframework.orm.jpa.LocalContainerEntityManagerFactoryBean;
import org.springframework.transaction.annotation.EnableTransactionManagement;

/**
 * HAPI FHIR's JPA server for R4 in memory, on a free port of the loopback interface, which it prints when it listens:
 * open at /fhir, and the same data at /guarded behind HAPI's own interceptor for tokens of one patient.
 */
public class HapiServer {
  private static final ServerConnector connector = new ServerConnector(new Server());

  @Configuration
  @EnableTransactionManagement
  @Import({
    JpaR4Config.class,
    HapiJpaConfig.class,
    JpaBatch2Config.class,
    Batch2JobsConfig.class,
    SubscriptionChannelConfig.class,
    ThreadPoolFactoryConfig.class
  })
  static class Beans {
    @Bean
    JpaStorageSettings storageSettings() {
      JpaStorageSettings settings = new JpaStorageSettings();
      // The demo's patients are called 1, 2, 3 …
      settings.setResourceClientIdStrategy(JpaStorageSettings.ClientIdStrategyEnum.ANY);
      settings.setEnforceReferentialIntegrityOnWrite(false);
      // What apps name by the gateway's address arrives by this one.
      settings.setTreatBaseUrlsAsLocal(Set.of("http://127.0.0.1:" + connector.getLocalPort() + "/fhir"));
      return settings;
    }

    @Bean
    PartitionSettings partitionSettings() {
      return new PartitionSettings();
    }

    @Bean
    SubscriptionSettings subscriptionSettings() {
      return new SubscriptionSettings();
    }

    @Bean
    IBinaryStorageSvc binaryStorage() {
      return new MemoryBinaryStorageSvcImpl();
    }

    @Bean
    DataSource dataSource() {
      return JdbcConnectionPool.create("jdbc:h2:mem:hapi;DB_CLOSE_DELAY=-1", "sa", "");
    }

    @Bean
    LocalContainerEntityManagerFactoryBean entityManagerFactory(
        ConfigurableListableBeanFactory beans, FhirContext fhir, JpaStorageSettings settings, DataSource dataSource) {
      LocalContainerEntityManagerFactoryBean factory =
          HapiEntityManagerFactoryUtil.newEntityManagerFactory(beans, fhir, settings);
      factory.setPersistenceUnitName("HAPI_PU");
      factory.setDataSource(dataSource);
      Properties properties = new Properties();
      properties.setProperty("hibernate.dialect", HapiFhirH2Dialect.class.getName());
      properties.setProperty("hibernate.hbm2ddl.auto", "update");
      properties.setProperty("hibernate.search.enabled", "false");
      factory.setJpaProperties(properties);
      return factory;
    }

    @Bean
    JpaTransactionManager transactionManager(EntityManagerFactory factory) {
      return new JpaTransactionManager(factory);
    }
  }

  public static void main(String[] arguments) throws Exception {
    connector.setHost("127.0.0.1");
    connector.open();
    AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext(Beans.class);
    ServletContextHandler handler = new ServletContextHandler();
    RestfulServer guarded = fhirServer(context);
    guarded.registerInterceptor(new OnePatient());
    handler.addServlet(new ServletHolder(fhirServer(context)), "/fhir/*");
    handler.addServlet(new ServletHolder(guarded), "/guarded/*");
    connector.getServer().addConnector(connector);
    connector.getServer().setHandler(handler);
    connector.getServer().start();
    // By itself HAPI looks after its jobs once a minute.
    IJobMaintenanceService jobs = context.getBean(IJobMaintenanceService.class);
    Executors.newSingleThreadScheduledExecutor().scheduleWithFixedDelay(jobs::runMaintenancePass, 1, 1, TimeUnit.SECONDS);
    System.out.println("listening on " + connector.getLocalPort());
  }

  private static RestfulServer fhirServer(AnnotationConfigApplicationContext context) {
    RestfulServer fhir = new RestfulServer(context.getBean(FhirContext.class));
    fhir.registerProviders(context.getBean(ResourceProviderFactory.class).createProviders());
    fhir.registerProvider(context.getBean(IJpaSystemProvider.class));
    fhir.registerProvider(context.getBean(BulkDataExportProvider.class));
    fhir.setServerConformanceProvider(
        new JpaCapabilityStatementProvider(
            fhir,
            context.getBean(IFhirSystemDao.class),
            context.getBean(JpaStorageSettings.class),
            context.getBean(ISearchParamRegistry.class),
            context.getBean(IValidationSupport.class)));
    DatabaseBackedPagingProvider pages = context.getBean(DatabaseBackedPagingProvider.class);
    pages.setDefaultPageSize(50);
    pages.setMaximumPageSize(500);
    fhir.setPagingProvider(pages);
    fhir.setDefaultResponseEncoding(EncodingEnum.JSON);
    return fhir;
  }
}
