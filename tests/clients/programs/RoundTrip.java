import java.io.File;
import java.nio.file.Files;
import java.util.List;
import plimsoll.ApiClient;
import plimsoll.ApiException;
import plimsoll.api.JobsApi;
import plimsoll.model.*;

/** The round trip of README.md with the Java client that OpenAPI Generator makes. */
public class RoundTrip {
    private static JobsApi jobs;

    private static JobSpec spec(SentimentArgs args) {
        return new JobSpec(new SentimentJobSpec().kind(SentimentJobSpec.KindEnum.SENTIMENT).args(args));
    }

    private static JobResults results(String id, Long offset) throws ApiException {
        return jobs.getJobResults(id, offset, null, null, null, null, null, null, null);
    }

    private static String text(File file) throws Exception {
        return Files.readString(file.toPath());
    }

    private interface Call {
        void run() throws ApiException;
    }

    private static void refused(ApiClient server, Call call) throws Exception {
        try {
            call.run();
        } catch (ApiException error) {
            Problem problem = server.getObjectMapper().readValue(error.getResponseBody(), Problem.class);
            System.out.println("refused " + problem.getStatus() + " " + problem.getType());
            return;
        }
        throw new AssertionError("not refused");
    }

    public static void main(String[] args) throws Exception {
        ApiClient server = new ApiClient();
        server.updateBaseUri(System.getenv("PLIMSOLL_SERVER"));
        server.setRequestInterceptor(request -> request.header("Authorization", "Bearer " + System.getenv("PLIMSOLL_TOKEN")));
        jobs = new JobsApi(server);

        Job job = jobs.createJob(spec(new SentimentArgs().texts(List.of("good", "bad")).model("vader")), null);
        while (!List.of(JobState.SUCCEEDED, JobState.FAILED, JobState.CANCELLED).contains(job.getState())) {
            job = jobs.getJob(job.getId(), 60, null);
        }
        System.out.println("state " + job.getState());

        SentimentReport scores = jobs.getJobReport(job.getId()).getSentimentReport();
        System.out.println("report " + scores.getKind() + " " + scores.getItems().getTotal() + " " + scores.getSummary().getModel());
        for (SentimentResult row : results(job.getId(), null).getSentimentResults().getItems()) {
            System.out.println("row " + row.getLabel());
        }

        String training = System.getenv("TRAINING_JOB");
        TrainingConfigReport advice = jobs.getJobReport(training).getTrainingConfigReport();
        System.out.println("report " + advice.getKind() + " " + advice.getItems().getTotal() + " "
                + advice.getSummary().getGpus().get(0).getGpu().getId());
        System.out.println("row " + results(training, null).getTrainingConfigResults().getItems().get(0).getGpu());

        String waves = System.getenv("WAVES_JOB");
        WavesReport counts = jobs.getJobReport(waves).getWavesReport();
        System.out.println("report " + counts.getKind() + " " + counts.getItems().getTotal() + " " + counts.getSummary().getBars());
        System.out.println("row " + results(waves, null).getWavesResults().getItems().get(0).getReport().getBars());

        String profile = System.getenv("PROFILE_JOB");
        ProfileReport speeds = jobs.getJobReport(profile).getProfileReport();
        System.out.println("report " + speeds.getKind() + " " + speeds.getItems().getTotal() + " " + speeds.getSummary().getMode());
        System.out.println("engine " + (speeds.getSummary().getEngine() == null));
        System.out.println("row " + results(profile, null).getProfileResults().getItems().get(0).getPart());

        System.out.println("empty " + results(job.getId(), 99L).getSentimentResults().getItems().size());
        System.out.println("empty " + results(training, 99L).getTrainingConfigResults().getItems().size());
        System.out.println("empty " + results(waves, 99L).getWavesResults().getItems().size());
        System.out.println("empty " + results(profile, 99L).getProfileResults().getItems().size());

        String id = job.getId();
        System.out.println("csv " + text(jobs.getJobResultsCsv(id, null, null, null, null, null, null, null, null)).split(",")[0]);
        System.out.println("picture " + text(jobs.getJobPictureSvg(waves, 0L, null)).substring(0, 4));
        refused(server, () -> jobs.createJob(spec(new SentimentArgs()), null));
        refused(server, () -> jobs.getJob("job_0000000000000", null, null));
    }
}
