//! The round trip of README.md with the Rust client that OpenAPI Generator makes.
use plimsoll::apis::{configuration::Configuration, jobs_api as jobs, Error};
use plimsoll::models::{self, JobResults, JobState, Report};

fn of(name: &str) -> String {
    std::env::var(name).unwrap_or_else(|_| panic!("{name} is not set"))
}

fn refused<T, E>(answer: Result<T, Error<E>>) {
    let Err(Error::ResponseError(failure)) = answer else { panic!("not refused") };
    let problem: models::Problem = serde_json::from_str(&failure.content).unwrap();
    println!("refused {} {}", problem.status, problem.r#type);
}

fn spec(args: models::SentimentArgs) -> models::JobSpec {
    models::JobSpec::SentimentJobSpec(Box::new(models::SentimentJobSpec::new(Default::default(), args)))
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let server = Configuration { base_path: of("PLIMSOLL_SERVER"), bearer_access_token: Some(of("PLIMSOLL_TOKEN")), ..Default::default() };
    let texts = Some(vec!["good".to_string(), "bad".to_string()]);
    let args = models::SentimentArgs { texts, model: Some("vader".to_string()), ..models::SentimentArgs::new() };
    let mut job = jobs::create_job(&server, spec(args), None).await.unwrap();
    while !matches!(job.state, JobState::Succeeded | JobState::Failed | JobState::Cancelled) {
        job = jobs::get_job(&server, &job.id, Some(60), None).await.unwrap();
    }
    println!("state {}", job.state);

    let report_of = |id: String| {
        let server = &server;
        async move { jobs::get_job_report(server, &id).await.unwrap() }
    };
    let results_of = |id: String, offset: i64| {
        let server = &server;
        async move { jobs::get_job_results(server, &id, Some(offset), None, None, None, None, None, None, None).await.unwrap() }
    };

    let Report::SentimentReport(scores) = report_of(job.id.clone()).await else { panic!("another kind") };
    println!("report {} {} {}", kind(&scores.kind), scores.items.total, scores.summary.model.as_deref().unwrap_or_default());
    let JobResults::SentimentResults(results) = results_of(job.id.clone(), 0).await else { panic!("another kind") };
    for row in results.items {
        println!("row {}", row.label.unwrap());
    }

    let training = of("TRAINING_JOB");
    let Report::TrainingConfigReport(advice) = report_of(training.clone()).await else { panic!("another kind") };
    println!("report {} {} {}", kind(&advice.kind), advice.items.total, advice.summary.gpus[0].gpu.id);
    let JobResults::TrainingConfigResults(results) = results_of(training.clone(), 0).await else { panic!("another kind") };
    println!("row {}", results.items[0].gpu);

    let waves = of("WAVES_JOB");
    let Report::WavesReport(counts) = report_of(waves.clone()).await else { panic!("another kind") };
    println!("report {} {} {}", kind(&counts.kind), counts.items.total, counts.summary.bars);
    let JobResults::WavesResults(results) = results_of(waves.clone(), 0).await else { panic!("another kind") };
    println!("row {}", results.items[0].report.as_ref().unwrap().bars);

    let profile = of("PROFILE_JOB");
    let Report::ProfileReport(speeds) = report_of(profile.clone()).await else { panic!("another kind") };
    println!("report {} {} {}", kind(&speeds.kind), speeds.items.total, speeds.summary.mode);
    println!("engine {}", speeds.summary.engine.is_none());
    let JobResults::ProfileResults(results) = results_of(profile.clone(), 0).await else { panic!("another kind") };
    println!("row {}", results.items[0].part);

    for id in [job.id.clone(), training, waves.clone(), profile] {
        let rows = match results_of(id, 99).await {
            JobResults::SentimentResults(results) => results.items.len(),
            JobResults::TrainingConfigResults(results) => results.items.len(),
            JobResults::WavesResults(results) => results.items.len(),
            JobResults::ProfileResults(results) => results.items.len(),
        };
        println!("empty {rows}");
    }

    let csv = jobs::get_job_results_csv(&server, &job.id, None, None, None, None, None, None, None, None).await.unwrap().text().await.unwrap();
    println!("csv {}", csv.split(',').next().unwrap());
    let picture = jobs::get_job_picture_svg(&server, &waves, 0, None).await.unwrap().text().await.unwrap();
    println!("picture {}", &picture[..4]);
    refused(jobs::create_job(&server, spec(models::SentimentArgs::new()), None).await);
    refused(jobs::get_job(&server, "job_0000000000000", None, None).await);
}

fn kind<T: serde::Serialize>(kind: &T) -> String {
    serde_json::to_value(kind).unwrap().as_str().unwrap().to_string()
}
